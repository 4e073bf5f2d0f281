import { isSubmitError } from "../errors/submit-error.ts";
import type { SubmitOutcome } from "../masters/kubernetes/submit-outcome.ts";
import { exitCodes } from "../plan/exit-codes.ts";

export { exitCodes };

/**
 * The exit code of a submission that was not refused: the driver's own. Spark's is 0 whatever becomes of the driver
 * (SPARK-26365), and so is Firesteel's with the exit code `spark`.
 */
export function exitCodeOf({ end, behaviors }: SubmitOutcome): number {
  if (end.kind === "interrupted") return exitCodes[end.signal];
  if (end.kind === "givenUp") return end.why.kind === "hopeless" ? exitCodes.failed : exitCodes.timedOut;
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

/** The exit code of what was thrown. */
export function exitCodeOfError(error: unknown): number {
  return isSubmitError(error) && error.code === "SUBMIT_ERR_CLASS_NOT_LOADED"
    ? exitCodes.classNotFound
    : exitCodes.failed;
}
