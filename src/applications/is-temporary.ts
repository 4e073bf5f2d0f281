import { isSubmitError } from "../errors/submit-error.ts";
import { isTransient } from "../kube/is-transient.ts";
import { statusOf } from "../kube/status.ts";

/** HTTP status of an expired token, which the account renews. */
const unauthorized = 401;

/** Returns whether a call of the API can succeed later without a change of the file. */
export function isTemporary(error: unknown): boolean {
  return isSubmitError(error) && (isTransient(error) || statusOf(error)?.code === unauthorized);
}
