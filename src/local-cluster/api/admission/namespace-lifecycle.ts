import type { ApiScope, Call } from "../call.ts";
import { namespacesKind } from "../kinds/table.ts";
import { forbidden, notFound } from "../status.ts";

/** Namespaces that cannot be deleted. */
const protectedNamespaces: readonly string[] = ["default", "kube-system", "kube-public"];

/** Rejects new objects and subresources in a namespace that does not exist or is terminating. @throws StatusError 403, 404 */
export function admitNamespace(
  { store }: ApiScope,
  { kind, namespace }: Pick<Call, "kind" | "namespace">,
  name: string,
): void {
  if (namespace === undefined) return;
  const found = store.get("namespaces", undefined, namespace);
  if (found === undefined) throw notFound(namespacesKind, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(kind, name, message, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}

/** Rejects the deletion of protected namespaces. @throws StatusError 403 */
export function admitDeletion({ kind, name }: Pick<Call, "kind" | "name">): void {
  if (kind.collection === "namespaces" && protectedNamespaces.includes(name)) {
    throw forbidden(kind, name, "this namespace may not be deleted");
  }
}
