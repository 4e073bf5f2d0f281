import { type TestSubmission, testFacts, testRequest } from "../plan/test-driver.ts";
import { buildSubmission, type Submission, type SubmissionObjects } from "./submission-objects.ts";

/** A submission for tests; what it does not say is plain. */
export function testSubmission(given: TestSubmission & { readonly template?: unknown } = {}): Submission {
  const { template, ...rest } = given;
  return {
    request: testRequest(rest),
    facts: { ...testFacts, ...given.facts },
    executor: { template, uniqueIds: { resourceNamePrefix: "dddddd1", confMap: "eeeeee1" } },
    userSteps: [],
  };
}

/** Its objects; fails where there are none. */
export function testObjects(given: Parameters<typeof testSubmission>[0] = {}): SubmissionObjects {
  const built = buildSubmission(testSubmission(given));
  if (!built.ok) throw new Error(built.issues.map(({ message }) => message).join("\n"));
  return built.value;
}
