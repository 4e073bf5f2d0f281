import type { Draft } from "../object.ts";
import { badRequest } from "../status.ts";
import type { Action, Call } from "./call.ts";
import { insert } from "./insert.ts";
import { readObject } from "./read-object.ts";
import { writeOptions } from "./write-options.ts";

/** POST on a collection. */
export const create: Action = (api, call) => {
  const options = writeOptions(call.query, "CreateOptions");
  const draft = readObject(call, options);
  checkNamespace(call, draft);
  return { type: "object", status: 201, object: insert(api, call, draft, options) };
};

/** The object may leave its namespace to the path, but not name another one. */
export function checkNamespace({ kind, namespace }: Call, { metadata }: Draft): void {
  const own = metadata.namespace ?? "";
  if (own === "" || own === namespace) return;
  throw badRequest(
    kind.namespaced
      ? "the namespace of the provided object does not match the namespace sent on the request"
      : "namespace is not allowed on cluster-scoped resources",
  );
}
