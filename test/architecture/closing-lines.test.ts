import { expect, test } from "vitest";
import { closingLines, type RunEnd, type TestEnd } from "../closing-lines.ts";

const passed: TestEnd = { name: "a.test.ts: a", state: "passed", retries: 0 };
const skipped: TestEnd = { name: "b.test.ts: b", state: "skipped", note: "requires R", retries: 0 };

function lines(end: Partial<RunEnd>, fulfilled: readonly string[] = []) {
  const run = { tests: [passed], errors: 0, isFiltered: false, isCi: true, ...end };
  return closingLines(run, (note) => fulfilled.includes(note));
}

test("count the tests and the errors outside of tests", () => {
  const failed: TestEnd = { ...passed, state: "failed" };
  expect(lines({ tests: [passed, failed, passed], errors: 2 })).toEqual({
    ...{ lines: ["2 passed, 3 failed, 0 skipped"], hasProblems: false },
  });
});

test("list the skipped tests by requirement", () => {
  const { lines: printed, hasProblems } = lines({ tests: [skipped, passed, { ...skipped, name: "c.test.ts: c" }] });
  expect(printed).toEqual([
    ...["2 skipped: requires R", "  b.test.ts: b", "  c.test.ts: c"],
    "1 passed, 0 failed, 2 skipped",
  ]);
  expect(hasProblems).toBe(false);
});

test("fail a skipped test without a requirement", () => {
  for (const note of [undefined, "no R"]) {
    const { lines: printed, hasProblems } = lines({ tests: [{ ...skipped, note }] });
    expect(printed).toEqual([
      "failed: skipped without a declared requirement: b.test.ts: b",
      "0 passed, 1 failed, 1 skipped",
    ]);
    expect(hasProblems).toBe(true);
  }
});

test("accept any skipped test if the run is limited to names", () => {
  expect(lines({ tests: [{ ...skipped, note: undefined }], isFiltered: true }).hasProblems).toBe(false);
});

test("fail a test in CI that is skipped although the machine fulfills its requirement", () => {
  const inCi = lines({ tests: [skipped] }, ["requires R"]);
  expect(inCi.lines).toContain("failed: skipped although this machine has what it requires (requires R): b.test.ts: b");
  expect(inCi.hasProblems).toBe(true);
  expect(lines({ tests: [skipped], isCi: false }, ["requires R"]).hasProblems).toBe(false);
});

test("list the retried tests, and fail more than three retries", () => {
  expect(lines({ tests: [{ ...passed, retries: 2 }] })).toEqual({
    lines: ["2 retries:", "  2: a.test.ts: a", "1 passed, 0 failed, 0 skipped"],
    hasProblems: false,
  });
  const many = [passed, passed].map((test) => ({ ...test, retries: 2 }));
  expect(lines({ tests: many }).lines.slice(-2)).toEqual([
    ...["failed: 4 retries, more than 3", "2 passed, 1 failed, 0 skipped"],
  ]);
});
