import type { ObjectMeta } from "../../kube/types.ts";
import { mastersGroup, type User } from "../api/access/user.ts";
import type { ApiScope, Call } from "../api/call.ts";
import type { JsonObject } from "../api/json.ts";
import { kindOfCollection } from "../api/kinds/table.ts";
import { StatusError } from "../api/status.ts";
import type { StoredObject } from "../api/store.ts";
import { insert } from "../api/verbs/insert.ts";
import { decodeObject } from "../api/verbs/read-object.ts";
import { rawBody } from "../api/wire/body.ts";

/** User and field manager of all controllers. */
const clientName = "kube-controller-manager";

const user: User = { name: `system:${clientName}`, uid: undefined, groups: [mastersGroup], extra: {} };

/** Creates an object like a client: with defaults, admission and validation. @throws StatusError if it is rejected */
export function createObject(
  api: ApiScope,
  collection: string,
  object: JsonObject & { readonly metadata: ObjectMeta },
): JsonObject & { readonly metadata: { readonly name?: string } } {
  const kind = kindOfCollection(collection);
  if (kind === undefined) throw new RangeError(`No kind is kept in ${collection}.`);
  const call: Call = {
    ...{ kind, namespace: object.metadata.namespace, name: "", subresource: undefined },
    ...{ query: new URLSearchParams(), raw: rawBody(undefined, undefined), user, userAgent: clientName },
    ...{ representation: { media: "json", view: "object", version: "v1" }, signal: undefined, warnings: [] },
  };
  const fieldValidation = "Ignore";
  const draft = decodeObject(call, { object }, { fieldValidation });
  return insert(api, call, draft, { dryRun: false, fieldManager: clientName, fieldValidation, force: false });
}

/** Returns the message of a rejection; rethrows other errors. */
export function rejectionMessage(error: unknown): string {
  if (error instanceof StatusError) return error.message;
  throw error;
}

/** Writes an object's status if it changed. */
export function writeStatus({ store }: ApiScope, collection: string, object: StoredObject, status: object): void {
  const { namespace, name, uid } = object.metadata;
  store.update(collection, namespace, name, (current) =>
    current.metadata.uid === uid ? { ...current, status } : current,
  );
}
