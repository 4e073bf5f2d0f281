import { type TestSubmission, testFacts, testRequest } from "../plan/test-driver.ts";
import { buildSubmission, type Submission, type SubmissionObjects } from "./submission-objects.ts";

/** Builds a submission for tests, with defaults for everything that is not specified. */
export function testSubmission(options: TestSubmission & { readonly template?: unknown } = {}): Submission {
  const { template, ...rest } = options;
  return {
    request: testRequest(rest),
    facts: { ...testFacts, ...options.facts },
    executor: { template, uniqueIds: { resourceNamePrefix: "dddddd1", confMap: "eeeeee1" } },
    userSteps: [],
  };
}

/** Builds the objects of a test submission. @throws Error if the submission is invalid */
export function testObjects(options: Parameters<typeof testSubmission>[0] = {}): SubmissionObjects {
  const built = buildSubmission(testSubmission(options));
  if (!built.ok) throw new Error(built.issues.map(({ message }) => message).join("\n"));
  return built.value;
}
