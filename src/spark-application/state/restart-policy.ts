import type { RestartPolicy } from "../application.ts";
import type { ApplicationStatus } from "./status.ts";

/** Whether a run that failed is repeated. */
export function restartsAfterFailure(policy: RestartPolicy = {}, { executionAttempts }: ApplicationStatus): boolean {
  return (
    policy.type === "Always" || (policy.type === "OnFailure" && executionAttempts <= (policy.onFailureRetries ?? 0))
  );
}

/** Whether a submission that failed is repeated. */
export function repeatsSubmission(policy: RestartPolicy = {}, { submissionAttempts }: ApplicationStatus): boolean {
  if (policy.type === "Always") return true;
  return policy.type === "OnFailure" && submissionAttempts <= (policy.onSubmissionFailureRetries ?? 0);
}

/**
 * Returns the time until the next attempt, in ms; 0 or less if it is due. The delay grows with the number of submissions, and counts from
 * the last one.
 */
export function delayOfAttempt(
  { submissionAttempts, lastSubmissionMs }: ApplicationStatus,
  { intervalSeconds = 0, nowMs }: { readonly intervalSeconds: number | undefined; readonly nowMs: number },
): number {
  return (lastSubmissionMs ?? 0) + intervalSeconds * 1000 * submissionAttempts - nowMs;
}
