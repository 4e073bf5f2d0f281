import { differenceOf } from "./difference.ts";
import { comparableObjects, recordedObjects, sortLists } from "./normalize.ts";
import type { RecordedCase } from "./recorded-case.ts";
import { runCase } from "./run-case.ts";
import { testRecordedCases } from "./test-recorded-cases.ts";

/** Behavior of Apache's client. */
interface Golden {
  readonly exit: number | string;
  /** `false` if the client sent no changing request. */
  readonly changes?: false;
  readonly auth?: readonly string[];
  readonly objects?: readonly unknown[];
  readonly uploads?: readonly unknown[];
  /** Texts that the output must contain. */
  readonly must: readonly string[];
}

testRecordedCases<Golden>("Kubernetes", ["kubernetes", "kubernetes-regressions"], compare);

/** Describes all differences between a run and its recording. */
async function compare(kase: RecordedCase<Golden>, golden: Golden, version: string): Promise<string> {
  const { ignore = [], flags } = kase.case;
  const observed = await runCase(kase, version);
  const found: string[] = [];
  if (!ignore.includes("exit") && observed.exit !== golden.exit)
    found.push(`exit ${observed.exit}, not ${golden.exit}`);
  if (golden.objects !== undefined) {
    const actual = comparableObjects(observed.api.objects(), observed.scrub, flags);
    const expected = recordedObjects(golden.objects);
    for (const name of new Set([...actual.keys(), ...expected.keys()])) {
      found.push(...differenceOf(expected.get(name), actual.get(name), name));
    }
  }
  const changes = observed.api.requests.filter(({ method }) => !["GET", "WATCH"].includes(method));
  if (golden.changes === false) found.push(...changes.map(({ method, path }) => `unexpected ${method} ${path}`));
  if (golden.auth !== undefined && observed.auth.length > 0)
    found.push(...differenceOf(golden.auth, observed.auth, "auth"));
  if (!ignore.includes("uploads")) found.push(...differenceOf(golden.uploads ?? [], observed.uploads, "uploads"));
  const output = squeeze(sortLists(observed.text));
  for (const text of golden.must) {
    if (!output.includes(squeeze(text))) found.push(`missing: ${text}\nin: ${observed.text.trim()}`);
  }
  return found.join("\n");
}

function squeeze(text: string): string {
  return text.replace(/[ \t]+\n/g, "\n");
}
