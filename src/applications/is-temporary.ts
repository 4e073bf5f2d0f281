import { isSubmitError } from "../errors/submit-error.ts";
import { statusOf } from "../kube/status.ts";

/** HTTP statuses of an expired token, which the account renews, and of an overloaded API. */
const temporaryStatuses = [401, 429];

/** Returns whether a call of the API can succeed later without a change of the file. */
export function isTemporary(error: unknown): boolean {
  if (!isSubmitError(error)) return false;
  if (error.kind === "unreachable" || error.kind === "timeout") return true;
  const status = statusOf(error)?.code ?? 0;
  return status >= 500 || temporaryStatuses.includes(status);
}
