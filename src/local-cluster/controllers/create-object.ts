import type { ObjectMeta } from "../../kube/types.ts";
import { mastersGroup, type User } from "../api/access/user.ts";
import { expiryOf } from "../api/admission/webhooks/expiry.ts";
import type { ApiScope, Call } from "../api/call.ts";
import type { JsonObject } from "../api/json.ts";
import { kindOfCollection } from "../api/kinds/table.ts";
import { StatusError } from "../api/status.ts";
import type { Steps } from "../api/steps.ts";
import type { StoredObject } from "../api/store.ts";
import { insert } from "../api/verbs/insert.ts";
import { decodeObject } from "../api/verbs/read-object.ts";
import { rawBody } from "../api/wire/body.ts";
import { AdmissionPending } from "./admission-pending.ts";

/** User and field manager of all controllers. */
const clientName = "kube-controller-manager";

const user: User = { name: `system:${clientName}`, uid: undefined, groups: [mastersGroup], extra: {} };

type Created = JsonObject & { readonly metadata: { readonly name?: string } };

/**
 * Creates an object like a client: with defaults, admission and validation. In a work queue only: while webhooks admit the object,
 * the task must end and be repeated.
 *
 * @throws StatusError if it is rejected
 * @throws AdmissionPending while webhooks admit it
 */
export function createObject(
  api: ApiScope,
  collection: string,
  object: JsonObject & { readonly metadata: ObjectMeta },
): Created {
  const creations = suspendedCreations.get(api) ?? new Map<string, SuspendedCreation>();
  suspendedCreations.set(api, creations);
  const key = JSON.stringify([collection, object]);
  const suspended = creations.get(key);
  if (suspended !== undefined && suspended.resume === undefined) throw suspended.pending;
  creations.delete(key);
  const steps = suspended?.steps ?? creation(api, collection, object);
  const next = suspended?.resume === undefined ? steps.next() : suspended.resume();
  if (next.done === true) return next.value;
  throw suspend(creations, key, { steps, promise: next.value });
}

/** A creation that waits for webhooks. */
interface SuspendedCreation {
  readonly steps: Steps<Created>;
  readonly pending: AdmissionPending;
  /** Continues it; `undefined` until the webhooks have responded. */
  resume: (() => IteratorResult<Promise<void>, Created>) | undefined;
}

/** Suspended creations by their content: equal objects without names are interchangeable. */
const suspendedCreations = new WeakMap<ApiScope, Map<string, SuspendedCreation>>();

function suspend(
  creations: Map<string, SuspendedCreation>,
  key: string,
  { steps, promise }: { readonly steps: Steps<Created>; readonly promise: Promise<void> },
): AdmissionPending {
  const settled = promise.then(
    () => {
      suspended.resume = () => steps.next();
    },
    (error: unknown) => {
      suspended.resume = () => steps.throw(error);
    },
  );
  const discard = () => {
    if (creations.get(key) === suspended) creations.delete(key);
  };
  const suspended: SuspendedCreation = {
    steps,
    pending: new AdmissionPending({ settled, discard }),
    resume: undefined,
  };
  creations.set(key, suspended);
  return suspended.pending;
}

function creation(
  api: ApiScope,
  collection: string,
  object: JsonObject & { readonly metadata: ObjectMeta },
): Steps<Created> {
  const kind = kindOfCollection(collection);
  if (kind === undefined) throw new RangeError(`No kind is kept in ${collection}.`);
  const call: Call = {
    ...{ kind, namespace: object.metadata.namespace, name: "", subresource: undefined },
    ...{ query: new URLSearchParams(), raw: rawBody(undefined, undefined), user, userAgent: clientName },
    ...{ representation: { media: "json", view: "object", version: "v1" }, signal: undefined, warnings: [] },
  };
  const fieldValidation = "Ignore";
  const draft = decodeObject(call, { object }, { fieldValidation });
  const options = { dryRun: false, fieldManager: clientName, fieldValidation, force: false } as const;
  return insert(api, call, draft, { ...options, expires: expiryOf(api, call) });
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
