import { describe, type SuiteFactory, type TestContext, type TestFunction, type TestOptions, test } from "vitest";
import { type Missing, missingOf, type Requirement } from "./requirements.ts";

/** Creates a function for `beforeEach`, or for the start of a test: it skips the test if something is missing. */
export function requires(required: Requirement | Missing | object): (context: Pick<TestContext, "skip">) => void {
  return ({ skip }) => {
    const note = missingOf(required);
    if (note !== undefined) skip(note);
  };
}

/** Defines tests as `describe` does. If something is missing, defines one test in their place, which is skipped. */
export function describeWith(
  required: Requirement | Missing | object,
): (name: string, options: TestOptions, tests: SuiteFactory) => void {
  const note = missingOf(required);
  if (note === undefined) return (name, options, tests) => describe(name, options, tests);
  return (name) => test(name, ({ skip }) => skip(note));
}

/** Defines a test as `test` does; the test is skipped if something is missing. */
export function testWith(required: Requirement | Missing | object): (name: string, run: TestFunction) => void {
  const note = missingOf(required);
  return (name, run) => test(name, note === undefined ? run : ({ skip }) => skip(note));
}
