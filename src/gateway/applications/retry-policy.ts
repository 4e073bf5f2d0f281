import type { Pod } from "../../kube/types.ts";
import type { ApplicationEnd } from "../model/application.ts";

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

/** Reason of the condition that Kueue gives a pod that it ends, for example to make room for a higher priority. */
const kueueEviction = "WorkloadEvicted";

/** An eviction that the pod caused by exceeding its own limit. */
const ownLimit = /exceeds the (total )?limit|exceeded its (local )?ephemeral/i;

/** Returns the delay before the next attempt; `undefined` if the application has ended. */
export function nextAttemptDelayMs(
  policy: RetryPolicy,
  attempt: number,
  end: ApplicationEnd,
  pod: Pod | undefined,
): number | undefined {
  if (end.state !== "failed") return undefined;
  const maximum = isInfrastructureFailure(end, pod) ? policy.maxAttempts : policy.maxApplicationAttempts;
  if (attempt >= maximum || end.reason === "Rejected") return undefined;
  return Math.min(policy.delayMs * 2 ** (attempt - 1), maxDelayMs);
}

/** Returns whether the cluster, not the application, caused a failure. */
export function isInfrastructureFailure({ reason, message = "" }: ApplicationEnd, pod: Pod | undefined): boolean {
  const isDisrupted = pod?.status?.conditions?.some(
    ({ type, status, reason: cause }) =>
      status === "True" && (type === "DisruptionTarget" || (type === "TerminationTarget" && cause === kueueEviction)),
  );
  if (ownLimit.test(message)) return false;
  return isDisrupted === true || infrastructureReasons.has(reason);
}
