import { isSubmitError } from "../errors/submit-error.ts";
import type { SubmitOutcome } from "../submit/submit-outcome.ts";

/** What a program ends with when no driver's exit code decides. */
export const exitCodes = {
  ok: 0,
  /** Refused by us, by the API, or by chance. */
  failed: 1,
  /** A class was not found. */
  classNotFound: 101,
  /** A time limit of the user is over; as `timeout` of coreutils. */
  timedOut: 124,
  /** Nothing was asked for at all. */
  nothingAsked: 255,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/**
 * The exit code of a submission that was not refused: the driver's own. Spark's is 0 whatever becomes of the driver
 * (SPARK-26365), and so is ours when exactly Spark's behaviour is asked for.
 */
export function exitCodeOf({ end, strict }: SubmitOutcome): number {
  if (end.kind === "interrupted") return exitCodes[end.signal];
  if (end.kind === "givenUp") return end.why.kind === "hopeless" ? exitCodes.failed : exitCodes.timedOut;
  if (strict) return exitCodes.ok;
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
