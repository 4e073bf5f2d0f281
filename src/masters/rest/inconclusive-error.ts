import { SubmitError } from "../../errors/submit-error.ts";
import type { RestOutcome } from "./rest-call.ts";

/** Builds the error for a call without a conclusive response, with the reason of each master. */
export function inconclusiveError({ problems }: Pick<RestOutcome, "problems">): Error {
  const [first, ...rest] = problems;
  if (first === undefined) throw new Error("what no master settled must have problems");
  return new SubmitError([first, ...rest]);
}
