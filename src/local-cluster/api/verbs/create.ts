import type { Action, Call } from "../call.ts";
import type { Draft } from "../object.ts";
import { badRequest } from "../status.ts";
import { insert } from "./insert.ts";
import { readObject } from "./read-object.ts";
import { writeOptions } from "./write-options.ts";

/** Creates an object: POST on a collection. */
export const create: Action = (api, call) => {
  const options = writeOptions(call.query, "CreateOptions");
  const draft = readObject(call, options);
  checkNamespace(call, draft);
  return { type: "object", status: 201, object: insert(api, call, draft, options) };
};

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
