import { describe, expect, test } from "vitest";
import { differenceOf } from "./difference.ts";
import { type Usage, usageOf, type VerboseBlocks, verboseBlocks } from "./front-end-text.ts";
import { knownDifferences, type RecordedCase, recordedCases } from "./recorded-case.ts";
import { type Observed, runCase } from "./run-case.ts";

/** Behavior of Apache's client. */
interface Golden {
  readonly exit: number;
  /** Texts that the output must contain. */
  readonly must: readonly string[];
  readonly usage?: Partial<Usage>;
  readonly verbose?: VerboseBlocks;
}

const differences = knownDifferences("Front end");

describe.each([...recordedCases<Golden>("front-end")])("%s", (_, cases) => {
  const runs = cases.flatMap((kase) =>
    Object.keys(kase.golden).map((version) => ({ kase, version, id: kase.case.id, title: kase.case.title })),
  );

  test.each(runs.filter(({ id, version }) => !differences.has(id, version)))(
    "$id $title, as Spark $version",
    async ({ kase, version }) => {
      const differs = await compare(kase, version);
      if (differs !== "") expect.fail(differs);
    },
  );

  test.each(runs.filter(({ id, version }) => differences.has(id, version)))(
    "$id $title, as Spark $version, differs as documented in differences.md",
    async ({ kase, version }) => {
      expect(await compare(kase, version)).not.toBe("");
    },
  );
});

test("differences.md names only existing cases", () => {
  const ids = [...recordedCases("front-end").values()].flat().map(({ case: { id } }) => id);
  expect(differences.ids.filter((id) => !ids.includes(id))).toEqual([]);
});

/** Describes all differences between a run and its recording. */
async function compare(kase: RecordedCase<Golden>, version: string): Promise<string> {
  const golden = kase.golden[version];
  if (golden === undefined) throw new Error(`no recording of ${version}`);
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
