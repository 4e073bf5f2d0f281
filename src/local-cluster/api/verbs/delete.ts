import { admitDeletion } from "../admission/namespace-lifecycle.ts";
import type { JsonObject } from "../json.ts";
import { conflict } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { timestamp } from "../timestamp.ts";
import type { Action, Answer, ApiScope, Call } from "./call.ts";
import { find } from "./get.ts";
import { listOptions } from "./list-options.ts";
import { type DeleteOptions, deleteOptions } from "./write-options.ts";

/** DELETE of one object. */
export const deleteOne: Action = (api, call) => {
  const options = deleteOptions(call.query, call.raw);
  const current = find(api, call);
  admitDeletion(call);
  if (call.kind.collection === "jobs.batch" && options.propagationPolicy === undefined)
    call.warnings.push(preservedPods);
  return answer(call, current, remove(api, call, current, options));
};

/** DELETE of a collection: of all that its selectors match. The answer shows the objects as they were. */
export const deleteCollection: Action = (api, call) => {
  const options = deleteOptions(call.query, call.raw);
  const { selection } = listOptions(call, { isWatch: false });
  const resourceVersion = String(api.store.revision());
  const items = api.store
    .list(call.kind.collection, call.namespace)
    .filter((object) => selection.matches(object));
  for (const object of items) {
    const current = api.store.get(call.kind.collection, object.metadata.namespace, object.metadata.name);
    if (current !== undefined) remove(api, { ...call, name: object.metadata.name }, current, options);
  }
  return { type: "list", items, metadata: { resourceVersion } };
};

const preservedPods =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set " +
  "propagationPolicy=Orphan to suppress this warning";

interface Removed {
  readonly object: StoredObject;
  /** It stays, marked, until somebody else is done with it. */
  readonly isKept: boolean;
}

/** Deletes an object as far as its kind, its finalizers and the options let it go now. */
export function remove(
  api: ApiScope,
  call: Pick<Call, "kind" | "name">,
  current: StoredObject,
  options: DeleteOptions,
): Removed {
  checkPreconditions(call, current, options);
  const { kind } = call;
  const { namespace, name } = current.metadata;
  if (kind.collection === "namespaces") return { object: endNamespace(api, current, options), isKept: true };
  const finalizers = withPolicy(current.metadata.finalizers ?? [], options.propagationPolicy);
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
    // Namespaces are not deleted, but marked, and so looked at elsewhere.
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

/** The garbage collector's finalizers say what is to become of dependents. */
function withPolicy(finalizers: readonly string[], policy: DeleteOptions["propagationPolicy"]): string[] {
  const collectors = ["orphan", "foregroundDeletion"];
  if (policy === undefined) return [...finalizers];
  const others = finalizers.filter((finalizer) => !collectors.includes(finalizer));
  if (policy === "Background") return others;
  return [...others, policy === "Orphan" ? "orphan" : "foregroundDeletion"];
}

/** Seconds until the end, for kinds that end in their own time; `undefined` for all others. */
function graceOf(
  { kind }: Pick<Call, "kind">,
  current: StoredObject,
  { gracePeriodSeconds }: DeleteOptions,
): number | undefined {
  const { rules } = kind;
  if (rules.grace === undefined) return undefined;
  const own = rules.grace(current);
  const asked = gracePeriodSeconds ?? own ?? 0;
  const wanted = own === undefined ? 0 : asked < 0 ? 1 : asked;
  const { deletionGracePeriodSeconds: last } = current.metadata;
  if (current.metadata.deletionTimestamp === undefined || last === undefined) return wanted;
  // It may end sooner than it was told before, not later.
  return gracePeriodSeconds === undefined && own !== undefined ? last : Math.min(wanted, last);
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

/** A namespace is emptied first: its controller removes it. */
function endNamespace(api: ApiScope, current: StoredObject, { dryRun }: DeleteOptions): StoredObject {
  if (current.metadata.deletionTimestamp !== undefined) return current;
  const ending = (object: StoredObject): StoredObject => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: timestamp(api.clock.now()) },
    status: { phase: "Terminating" },
  });
  if (dryRun) return ending(current);
  return api.store.update("namespaces", undefined, current.metadata.name, ending) ?? current;
}

function answer({ kind }: Call, current: StoredObject, { object, isKept }: Removed): Answer {
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
