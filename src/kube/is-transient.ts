import type { SubmitError } from "../errors/submit-error.ts";
import { statusOf } from "./status.ts";

/** HTTP status with which an API asks for a later attempt. */
const tooManyRequests = 429;

/** Returns whether the same call can succeed later: the API was not reached in time, was overloaded, or failed. */
export function isTransient(error: SubmitError): boolean {
  if (error.kind === "unreachable" || error.kind === "timeout") return true;
  const status = statusOf(error)?.code ?? 0;
  return status === tooManyRequests || status >= 500;
}
