import { isSubmitError } from "../errors/submit-error.ts";
import type { KubernetesOutcome } from "../masters/submit-outcome.ts";
import { exitCodes } from "../plan/exit-codes.ts";

export { exitCodes };

/**
 * Returns the exit code of a submission that was accepted: that of the driver. With the exit code behavior `spark` it is 0, as Spark's
 * own, whatever the driver's outcome (SPARK-26365).
 */
export function exitCodeOf({ end, behaviors }: KubernetesOutcome): number {
  if (end.kind === "interrupted") return exitCodes[end.signal];
  if (end.kind === "terminated") return end.why.kind === "unrecoverable" ? exitCodes.failed : exitCodes.timedOut;
  if (behaviors.exitCode === "spark") return exitCodes.ok;
  switch (end.kind) {
    case "notAwaited":
    case "succeeded":
      return exitCodes.ok;
    case "failed":
      return end.exitCode || exitCodes.failed;
    case "deleted":
    case "unknown":
      return exitCodes.failed;
  }
}

/** Returns the exit code for a thrown value. */
export function exitCodeOfError(error: unknown): number {
  return isSubmitError(error) && error.code === "SUBMIT_ERR_CLASS_NOT_LOADED"
    ? exitCodes.classNotFound
    : exitCodes.failed;
}
