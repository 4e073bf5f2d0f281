import { decide } from "../../spark-application/state/decide.ts";
import { type ApplicationStatus, hasEnded } from "../../spark-application/state/status.ts";
import type { ApplicationEnd, ApplicationRecord, CountedAttempts } from "../model/application.ts";

/** Part of a record that decides about a restart. */
type Restartable = Pick<ApplicationRecord, "lifetime" | "counted" | "killed">;

interface AttemptTimes {
  /** Time of the submission in ms since 1970. */
  readonly submittedMs: number;
  readonly nowMs: number;
}

/** Counts an attempt that has ended for the restart policy. */
export function countAttempt(
  { counted = { submissions: 0, executions: 0 } }: Pick<ApplicationRecord, "counted">,
  end: ApplicationEnd,
): CountedAttempts {
  const { submissions, executions } = counted;
  return { submissions: submissions + 1, executions: isRejected(end) ? executions : executions + 1 };
}

/**
 * Returns the delay before the next attempt that the restart policy of an application requires; `undefined` if it has ended.
 * `firesteel apply` and the Spark operator decide in the same way.
 */
export function restartDelayMs(
  record: Restartable,
  end: ApplicationEnd,
  { submittedMs, nowMs }: AttemptTimes,
): number | undefined {
  const { lifetime, killed } = record;
  if (lifetime === undefined || killed !== undefined || end.state === "killed") return undefined;
  const { submissions, executions } = countAttempt(record, end);
  const status: ApplicationStatus = {
    state: end.state === "succeeded" ? "SUCCEEDING" : isRejected(end) ? "SUBMISSION_FAILED" : "FAILING",
    ...{ submissionAttempts: submissions, executionAttempts: executions, lastSubmissionMs: submittedMs, executors: {} },
  };
  const decision = decide(lifetime, status, { nowMs, driver: undefined });
  if (hasEnded(decision.status)) return undefined;
  const isDelayed = decision.status.state === status.state && decision.action === "none";
  return isDelayed ? decision.againAfterMs : 0;
}

/** Returns whether an application that has ended must be removed, because its time to live is over. */
export function isTimeOver({ lifetime = {} }: Restartable, terminationMs: number, nowMs: number): boolean {
  const status: ApplicationStatus = {
    ...{ state: "COMPLETED", submissionAttempts: 1, executionAttempts: 1, terminationMs, executors: {} },
  };
  return decide(lifetime, status, { nowMs, driver: undefined }).action === "deleteApplication";
}

function isRejected({ reason }: ApplicationEnd): boolean {
  return reason === "Rejected";
}
