import { type TestSubmission, testDriver } from "../plan/test-driver.ts";
import { buildDriverManifests } from "./driver-spec.ts";

/** Builds the manifests of a valid submission. */
export function buildDriver(submission: TestSubmission = {}) {
  const result = buildDriverManifests(testDriver(submission));
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join("\n"));
  return result.value;
}
