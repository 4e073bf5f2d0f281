import { admitDeletion } from "../admission/namespace-lifecycle.ts";
import { admissionRequest } from "../admission/webhooks/admission-request.ts";
import { expiryOf } from "../admission/webhooks/expiry.ts";
import { mutateNothing } from "../admission/webhooks/mutate.ts";
import { validateByWebhooks } from "../admission/webhooks/validate.ts";
import type { Action, ActionResult, ApiScope, Call } from "../call.ts";
import type { JsonObject } from "../json.ts";
import { conflict, tooLargeRevision } from "../status.ts";
import { runSteps, type Steps } from "../steps.ts";
import type { StoredObject } from "../store.ts";
import { timestamp } from "../timestamp.ts";
import { find } from "./get.ts";
import { listOptions } from "./list-options.ts";
import { storedFormat } from "./stored-format.ts";
import { type DeleteOptions, deleteOptions } from "./write-options.ts";

/** Deletes one object. */
export const deleteOne: Action = (api, call) => runSteps(deleteSteps(api, call));

function* deleteSteps(api: ApiScope, call: Call): Steps<ActionResult> {
  const options = deleteOptions(call.query, call.raw);
  find(api, call);
  admitDeletion(call);
  const current = yield* admitRemoval(api, call, { options, expires: expiryOf(api, call) });
  if (call.kind.collection === "jobs.batch" && options.propagationPolicy === undefined)
    call.warnings.push(preservedPods);
  return resultOf(call, current, remove(api, call, current, options));
}

interface RemovalOptions {
  readonly options: DeleteOptions;
  readonly expires: number | undefined;
  /** Name that webhooks see. @default that of the call */
  readonly requestName?: string;
}

/**
 * Calls the webhooks for the deletion of an object: again if the object changes meanwhile.
 *
 * @returns the object
 * @throws StatusError 404, 409, or that of a webhook
 */
function* admitRemoval(
  api: ApiScope,
  call: Call,
  { options, expires, requestName: name = call.name }: RemovalOptions,
): Steps<StoredObject> {
  const { dryRun } = options;
  const deletion = { operation: "DELETE", options: deletionOptions(options), dryRun, expires, name } as const;
  for (;;) {
    const oldObject = find(api, call);
    const request = admissionRequest(call, deletion);
    const objects = { object: undefined, oldObject, format: storedFormat };
    yield* mutateNothing(api, request, objects);
    yield* validateByWebhooks(api, request, objects);
    if (api.store.get(call.kind.collection, call.namespace, call.name) === oldObject) return oldObject;
  }
}

/** Returns the options of a deletion as webhooks see them. */
function deletionOptions(options: DeleteOptions): JsonObject {
  const { gracePeriodSeconds, propagationPolicy, uid, resourceVersion, dryRun } = options;
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}

/** Deletes the objects of a collection that its selectors match. Responds with their previous state. */
export const deleteCollection: Action = (api, call) => runSteps(deleteCollectionSteps(api, call));

function* deleteCollectionSteps(api: ApiScope, call: Call): Steps<ActionResult> {
  const options = deleteOptions(call.query, call.raw);
  const { selection, revision = 0 } = listOptions(call, { isWatch: false });
  if (revision > api.store.revision()) throw tooLargeRevision(revision, api.store.revision());
  const resourceVersion = String(api.store.revision());
  const items = api.store.list(call.kind.collection, call.namespace).filter((object) => selection.matches(object));
  for (const object of items) {
    const current = api.store.get(call.kind.collection, object.metadata.namespace, object.metadata.name);
    if (current === undefined) continue;
    const { name } = object.metadata;
    // As in Kubernetes, webhooks see no name.
    const admitted = yield* admitRemoval(api, { ...call, name }, { options, expires: undefined, requestName: "" });
    remove(api, { ...call, name }, admitted, options);
  }
  return { type: "list", items, metadata: { resourceVersion } };
}

const preservedPods =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set " +
  "propagationPolicy=Orphan to suppress this warning";

interface Removed {
  readonly object: StoredObject;
  /** Whether it remains with a deletionTimestamp until its finalizers or the kubelet are done. */
  readonly isKept: boolean;
}

/** Deletes an object, or marks it as terminating if its kind, its finalizers or the options require that. */
export function remove(
  api: ApiScope,
  call: Pick<Call, "kind" | "name">,
  current: StoredObject,
  options: DeleteOptions,
): Removed {
  checkPreconditions(call, current, options);
  const { kind } = call;
  const { namespace, name } = current.metadata;
  if (kind.collection === "namespaces") return { object: terminateNamespace(api, current, options), isKept: true };
  if (kind.rules.terminate !== undefined && current.metadata.deletionTimestamp === undefined) {
    const terminated = (object: StoredObject) => kind.rules.terminate?.(object, timestamp(api.clock.now()));
    const object = options.dryRun ? current : api.store.update(kind.collection, namespace, name, terminated);
    return { object: object ?? current, isKept: true };
  }
  const policy = options.propagationPolicy ?? defaultPolicy(kind, current);
  const finalizers = withPolicy(current.metadata.finalizers ?? [], policy);
  const grace = graceOf(call, current, options);
  const isImmediate = grace === undefined && finalizers.length === 0;
  if (isImmediate) {
    const object = options.dryRun ? current : (api.store.remove(kind.collection, namespace, name) ?? current);
    return { object: { ...object, metadata: current.metadata }, isKept: false };
  }
  const marked = (object: StoredObject) => mark(api, object, { finalizers, grace: grace ?? 0 });
  if (options.dryRun) return { object: marked(current), isKept: true };
  const object = api.store.update(kind.collection, namespace, name, marked) ?? current;
  return { object, isKept: true };
}

function checkPreconditions(
  { kind, name }: Pick<Call, "kind" | "name">,
  { metadata }: StoredObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const named = { ...kind, plural: kind.kind };
  if (uid !== undefined && uid !== metadata.uid && kind.collection === "namespaces") {
    // Kubernetes updates namespaces instead of deleting them, so another check rejects them.
    const text = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
    throw conflict(kind, name, text);
  }
  if (uid !== undefined && uid !== metadata.uid) {
    const text = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`;
    throw conflict(named, name, `${text}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const record = `the ResourceVersion in record (${metadata.resourceVersion})`;
    const text = `the ResourceVersion in the precondition (${resourceVersion}) does not match ${record}`;
    throw conflict(named, name, `${text}. The object might have been modified`);
  }
}

const collectors = ["orphan", "foregroundDeletion"];

/** Returns the policy of a deletion without one: a job keeps its pods, unless a finalizer decides otherwise. */
function defaultPolicy({ collection }: Call["kind"], { metadata }: StoredObject): DeleteOptions["propagationPolicy"] {
  const isDecided = metadata.finalizers?.some((finalizer) => collectors.includes(finalizer)) === true;
  return collection === "jobs.batch" && !isDecided ? "Orphan" : undefined;
}

/** Sets the garbage collector's finalizers that the policy requires. */
function withPolicy(finalizers: readonly string[], policy: DeleteOptions["propagationPolicy"]): string[] {
  if (policy === undefined) return [...finalizers];
  const others = finalizers.filter((finalizer) => !collectors.includes(finalizer));
  if (policy === "Background") return others;
  return [...others, policy === "Orphan" ? "orphan" : "foregroundDeletion"];
}

/** Returns the grace period in seconds; `undefined` for kinds without one. */
function graceOf(
  { kind }: Pick<Call, "kind">,
  current: StoredObject,
  { gracePeriodSeconds }: DeleteOptions,
): number | undefined {
  const { rules } = kind;
  if (rules.grace === undefined) return undefined;
  const own = rules.grace(current);
  const specified = gracePeriodSeconds ?? own ?? 0;
  const grace = own === undefined ? 0 : specified < 0 ? 1 : specified;
  const { deletionGracePeriodSeconds: last } = current.metadata;
  if (current.metadata.deletionTimestamp === undefined || last === undefined) return grace;
  // A later request can shorten the grace period, not extend it.
  return gracePeriodSeconds === undefined && own !== undefined ? last : Math.min(grace, last);
}

function mark(
  api: ApiScope,
  object: StoredObject,
  { finalizers, grace }: { finalizers: string[]; grace: number },
): StoredObject {
  const { finalizers: _, ...metadata } = object.metadata;
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = metadata;
  const isSooner = deletionTimestamp === undefined || grace < (deletionGracePeriodSeconds ?? 0);
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(finalizers.length === 0 ? {} : { finalizers }),
      ...(isSooner
        ? { deletionTimestamp: timestamp(api.clock.now() + grace * 1000), deletionGracePeriodSeconds: grace }
        : {}),
      ...(generation !== undefined && deletionTimestamp === undefined ? { generation: generation + 1 } : {}),
    },
  };
}

/** Marks a namespace as terminating; its controller empties and removes it. */
function terminateNamespace(api: ApiScope, current: StoredObject, { dryRun }: DeleteOptions): StoredObject {
  if (current.metadata.deletionTimestamp !== undefined) return current;
  const terminating = (object: StoredObject): StoredObject => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: timestamp(api.clock.now()) },
    status: { phase: "Terminating" },
  });
  if (dryRun) return terminating(current);
  return api.store.update("namespaces", undefined, current.metadata.name, terminating) ?? current;
}

function resultOf({ kind }: Call, current: StoredObject, { object, isKept }: Removed): ActionResult {
  if (isKept || kind.rules.showsDeleted === true) return { type: "object", status: 200, object };
  const details: JsonObject = {
    name: current.metadata.name,
    ...(kind.group === "" ? {} : { group: kind.group }),
    kind: kind.plural,
    uid: current.metadata.uid,
  };
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
  return { type: "object", status: 200, object: status };
}
