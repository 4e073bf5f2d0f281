import { differenceOf } from "./difference.ts";
import { type Usage, usageOf, type VerboseBlocks, verboseBlocks } from "./front-end-text.ts";
import type { RecordedCase } from "./recorded-case.ts";
import { type Observed, runCase } from "./run-case.ts";
import { testRecordedCases } from "./test-recorded-cases.ts";

/** Behavior of Apache's client. */
interface Golden {
  readonly exit: number;
  /** Texts that the output must contain. */
  readonly must: readonly string[];
  readonly usage?: Partial<Usage>;
  readonly verbose?: VerboseBlocks;
}

testRecordedCases<Golden>("Front end", ["front-end"], compare);

/** Describes all differences between a run and its recording. */
async function compare(kase: RecordedCase<Golden>, golden: Golden, version: string): Promise<string> {
  const run = await runCase(kase, version);
  const observed = { ...run, text: run.text.replace(/( at index )\d+/g, "$1{{N}}") };
  return [
    ...(observed.exit === golden.exit ? [] : [`exit ${observed.exit}, not ${golden.exit}`]),
    ...usageFaults(golden.usage, usageOf(observed.text)),
    ...verboseFaults(golden.verbose, observed),
    ...golden.must.filter((text) => !observed.text.includes(text)).map((text) => `missing: ${text}`),
    ...(kase.case.mustNot ?? []).filter((text) => observed.text.includes(text)).map((text) => `unexpected: ${text}`),
  ]
    .map((fault, index, all) => (index === all.length - 1 ? `${fault}\n${observed.text}` : fault))
    .join("\n");
}

/** Checks that heads are present and options in this order. Firesteel's own options may be among them. */
function usageFaults(golden: Partial<Usage> | undefined, usage: Usage | undefined): readonly string[] {
  if (golden === undefined) return [];
  const heads = (golden.heads ?? []).filter((head) => usage?.heads.includes(head) !== true);
  const groups = Object.entries(golden.groups ?? {}).flatMap(([group, options]) =>
    differenceOf(
      options,
      usage?.groups[group]?.filter((option) => options.includes(option)),
      `usage ${group}`,
    ),
  );
  return [...heads.map((head) => `usage head missing: ${head}`), ...groups];
}

function verboseFaults(golden: VerboseBlocks | undefined, { text }: Observed): readonly string[] {
  if (golden === undefined) return [];
  const actual = verboseBlocks(text.replace(/(spark\.app\.submitTime,)<time>/g, "$1{{TIME}}"));
  return Object.entries(golden).flatMap(([block, expected]) => {
    const found = Object.entries(actual).find(([name]) => name === block)?.[1];
    return differenceOf(expected, found, `--verbose ${block}`);
  });
}
