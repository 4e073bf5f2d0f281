import type { Action, ApiScope, Call } from "../call.ts";
import { badRequest, notFound, tooLargeRevision } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { flag } from "../wire/query.ts";
import { parseRevision } from "./list-options.ts";

/** Reads one object, or its status, which contains the entire object too. */
export const get: Action = (api, call) => {
  if (flag(call.query, "export"))
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  const revision = parseRevision(call.query.get("resourceVersion") ?? "");
  if (revision !== undefined && revision > api.store.revision()) throw tooLargeRevision(revision, api.store.revision());
  return { type: "object", status: 200, object: find(api, call) };
};

/** Finds the object of a request. @throws StatusError 404 */
export function find(
  { store }: Pick<ApiScope, "store">,
  { kind, namespace, name }: Pick<Call, "kind" | "namespace" | "name">,
): StoredObject {
  const object = store.get(kind.collection, namespace, name);
  if (object === undefined) throw notFound(kind, name);
  return object;
}
