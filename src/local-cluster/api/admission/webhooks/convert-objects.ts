import type { ApiScope } from "../../call.ts";
import type { Kind } from "../../kinds/kind.ts";
import { type Steps, waitFor } from "../../steps.ts";
import type { AdmittedObjects } from "./admission-request.ts";

/** Has the objects of a request converted to the version in which a webhook sees them. @throws StatusError 500 */
export function* convertForWebhook(
  api: ApiScope,
  { object, oldObject, format }: AdmittedObjects,
  version: Kind,
): Steps<void> {
  const objects = [object, oldObject].filter((one) => one !== undefined);
  const pending = format.convert?.(api, version, objects);
  if (pending !== undefined) yield* waitFor(pending);
}
