import type { ApplicationEnd } from "../model/application.ts";

/** End of an attempt. */
interface AttemptEnd extends Pick<ApplicationEnd, "state" | "reason" | "message"> {
  /** Whether the cluster was ending the driver's pod, or has deleted it. */
  readonly isDisrupted: boolean;
}

/** When a failed application is submitted again. */
export interface RetryPolicy {
  /** Number of attempts after failures of the infrastructure. */
  readonly maxAttempts: number;
  /** Number of attempts after failures of the application itself. */
  readonly maxApplicationAttempts: number;
  /** Delay before the second attempt, which doubles for each further one. */
  readonly delayMs: number;
}

export const defaultRetryPolicy: RetryPolicy = { maxAttempts: 4, maxApplicationAttempts: 1, delayMs: 10_000 };

const maxDelayMs = 300_000;

/** Reasons of a pod's status for which no application is to blame: its node or the scheduler ended it. */
const infrastructureReasons: ReadonlySet<string | undefined> = new Set([
  ...["Evicted", "NodeLost", "NodeShutdown", "Shutdown", "Terminated", "Preempting", "Preempted", "NodeAffinity"],
  ...["OutOfcpu", "OutOfmemory", "OutOfpods", "OutOfephemeral-storage", "UnexpectedAdmissionError"],
]);

/** An eviction that the pod caused by exceeding its own limit. */
const ownLimit = /exceeds the (total )?limit|exceeded its (local )?ephemeral/i;

/** Returns the delay before the next attempt; `undefined` if the application has ended. */
export function nextAttemptDelayMs(policy: RetryPolicy, attempt: number, end: AttemptEnd): number | undefined {
  if (end.state !== "failed") return undefined;
  const maximum = isInfrastructureFailure(end) ? policy.maxAttempts : policy.maxApplicationAttempts;
  if (attempt >= maximum || end.reason === "Rejected") return undefined;
  return Math.min(policy.delayMs * 2 ** (attempt - 1), maxDelayMs);
}

/** Returns whether the cluster, not the application, caused a failure. */
function isInfrastructureFailure({ reason, message = "", isDisrupted }: AttemptEnd): boolean {
  if (ownLimit.test(message)) return false;
  return isDisrupted || infrastructureReasons.has(reason);
}
