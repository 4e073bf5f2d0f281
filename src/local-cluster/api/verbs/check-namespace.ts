import type { Call } from "../call.ts";
import type { Draft } from "../object.ts";
import { badRequest } from "../status.ts";

/** Rejects an object with another namespace than the path; it may have none. @throws StatusError 400 */
export function checkNamespace({ kind, namespace }: Call, { metadata }: Draft): void {
  const own = metadata.namespace ?? "";
  if (own === "" || own === namespace) return;
  throw badRequest(
    kind.namespaced
      ? "the namespace of the provided object does not match the namespace sent on the request"
      : "namespace is not allowed on cluster-scoped resources",
  );
}
