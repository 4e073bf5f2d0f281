import { isFulfilled } from "./requirements.ts";

/** More retries than this fail a run: a test that often needs one has a defect. */
const maxRetries = 3;

/** Result of one test, after its retries. */
export interface TestEnd {
  /** Path of the file, then the full name. */
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped" | "pending";
  /** Reason of a skipped test. */
  readonly note?: string | undefined;
  readonly retries: number;
}

export interface RunEnd {
  readonly tests: readonly TestEnd[];
  /** Number of errors outside of tests. */
  readonly errors: number;
  /** Whether the run was limited to tests whose name matches a pattern, so that all others are skipped. */
  readonly isFiltered: boolean;
  readonly isCi: boolean;
}

/**
 * Returns the last lines of a run: the skipped tests by reason, the retried tests, and one line for programs, `N passed, N failed, N skipped`.
 *
 * A test must not be skipped without a declared requirement, and in CI it must not be skipped if the machine fulfills that requirement. Such
 * tests, and more than three retries, count as failures.
 */
export function closingLines(
  { tests, errors, isFiltered, isCi }: RunEnd,
  fulfills: (note: string) => boolean | undefined = isFulfilled,
): { readonly lines: readonly string[]; readonly hasProblems: boolean } {
  const skipped = isFiltered ? [] : tests.filter(({ state }) => state === "skipped");
  const declared = skipped.filter(isDeclared);
  const retried = tests.filter(({ retries }) => retries > 0);
  const retries = retried.reduce((sum, test) => sum + test.retries, 0);
  const problems = [
    ...skipped.filter((test) => !isDeclared(test)).map(({ name }) => `skipped without a declared requirement: ${name}`),
    ...declared
      .filter(({ note = "" }) => isCi && fulfills(note) === true)
      .map(({ name, note }) => `skipped although this machine has what it requires (${note}): ${name}`),
    ...(retries > maxRetries ? [`${retries} retries, more than ${maxRetries}`] : []),
  ];
  const count = (state: TestEnd["state"]) => tests.filter((test) => test.state === state).length;
  const lines = [
    ...[...new Set(declared.map(({ note }) => note))].flatMap((note) => {
      const names = declared.filter((test) => test.note === note).map(({ name }) => `  ${name}`);
      return [`${names.length} skipped: ${note}`, ...names];
    }),
    ...(retries > 0 ? [`${retries} retries:`] : []),
    ...retried.map((test) => `  ${test.retries}: ${test.name}`),
    ...problems.map((problem) => `failed: ${problem}`),
    `${count("passed")} passed, ${count("failed") + errors + problems.length} failed, ${count("skipped")} skipped`,
  ];
  return { lines, hasProblems: problems.length > 0 };
}

function isDeclared({ note }: TestEnd): boolean {
  return note?.startsWith("requires ") === true;
}
