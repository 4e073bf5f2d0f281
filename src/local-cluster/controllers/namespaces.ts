import type { ApiScope } from "../api/call.ts";
import { isArray, isObject, type JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kinds/kind.ts";
import { podsKind } from "../api/kinds/table.ts";
import type { ServedKinds } from "../api/served-kinds.ts";
import type { StoredObject } from "../api/store.ts";
import { timestamp } from "../api/timestamp.ts";
import { isPod } from "../pods/stored-object.ts";
import { type Controller, deleteObject, startReconciler } from "./controller.ts";
import { namespaceConditions, type RemainingContent } from "./namespace-conditions.ts";

/** Initial namespaces of every cluster. */
export const initialNamespaces: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Delay before a terminating namespace is emptied: requests in progress may still finish. */
const delayMs = 1_000;

/** Interval of checks while objects remain. */
const recheckMs = 5_000;

const finalizer = "kubernetes";

/**
 * Empties terminating namespaces, pods first, and deletes them when nothing is left.
 *
 * Source: Kubernetes 1.35, pkg/controller/namespace/deletion.
 */
export const startNamespaceTermination: Controller = (api) =>
  startReconciler(api, {
    observe({ type, collection, object }, add) {
      const { namespace, name, deletionTimestamp } = object.metadata;
      if (collection === "namespaces" && deletionTimestamp !== undefined) add(name, delayMs);
      if (type !== "DELETED" || namespace === undefined) return;
      const parent = api.store.get("namespaces", undefined, namespace);
      if (parent?.metadata.deletionTimestamp !== undefined) add(namespace);
    },
    work(name, add) {
      const namespace = api.store.get("namespaces", undefined, name);
      if (namespace?.metadata.deletionTimestamp === undefined) return;
      if (finalizersOf(namespace).includes(finalizer) && !emptyNamespace(api, namespace)) add(name, recheckMs);
      removeIfFinal(api, name);
    },
  });

function finalizersOf(namespace: StoredObject): readonly unknown[] {
  const { finalizers } = partOf(namespace, "spec");
  return isArray(finalizers) ? finalizers : [];
}

/** Deletes the contents of a namespace and updates its conditions. @returns whether it is empty */
function emptyNamespace(api: ApiScope, namespace: StoredObject): boolean {
  const { name } = namespace.metadata;
  const isPodLeft = deleteAll(api, podsKind, name).length > 0;
  const others = isPodLeft ? [] : contents(api.kinds);
  const left = others.map((kind) => ({ kind, objects: deleteAll(api, kind, name) }));
  const found = left.filter(({ objects }) => objects.length > 0);
  // While pods remain, the conditions report only pods that nothing holds.
  const pods = api.store.list(podsKind.collection, name);
  const remaining = isPodLeft ? { ...nothing, stuck: stuckKinds([{ kind: podsKind, objects: pods }]) } : report(found);
  const conditions = namespaceConditions(namespace, remaining, timestamp(api.clock.now()));
  const isEmpty = !isPodLeft && found.length === 0;
  api.store.update("namespaces", undefined, name, (current) => ({
    ...current,
    ...(isEmpty && { spec: withoutFinalizer(current) }),
    status: { ...partOf(current, "status"), conditions },
  }));
  return isEmpty;
}

/** Returns the spec of a namespace without the controller's finalizer. */
function withoutFinalizer(namespace: StoredObject): JsonObject {
  const { finalizers: _, ...spec } = partOf(namespace, "spec");
  const finalizers = without(finalizersOf(namespace), finalizer);
  return finalizers.length === 0 ? spec : { ...spec, finalizers };
}

function partOf(object: StoredObject, field: "spec" | "status"): JsonObject {
  const part = object[field];
  return isObject(part) ? part : {};
}

function without(list: readonly unknown[], value: unknown): readonly unknown[] {
  return list.filter((one) => one !== value);
}

/** Returns the kinds whose objects are in namespaces, without pods and without a second version of a kind. */
function contents(kinds: ServedKinds): readonly Kind[] {
  const deletable = kinds.all().filter(({ namespaced, verbs }) => namespaced && verbs.includes("delete"));
  const byCollection = new Map([...deletable].reverse().map((kind) => [kind.collection, kind]));
  byCollection.delete(podsKind.collection);
  return [...byCollection.values()].reverse();
}

/** Deletes all objects of a kind. @returns those that remain */
function deleteAll(api: ApiScope, { collection }: Kind, namespace: string): readonly StoredObject[] {
  for (const object of api.store.list(collection, namespace))
    if (object.metadata.deletionTimestamp === undefined) deleteObject(api, collection, object);
  return api.store.list(collection, namespace);
}

interface KindContent {
  readonly kind: Kind;
  readonly objects: readonly StoredObject[];
}

const nothing: RemainingContent = { resources: new Map(), finalizers: new Map(), stuck: [] };

function report(found: readonly KindContent[]): RemainingContent {
  const finalizers = new Map<string, number>();
  for (const name of found.flatMap(({ objects }) => objects).flatMap(({ metadata }) => metadata.finalizers ?? []))
    finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  const resources = found.map(({ kind, objects }) => [`${kind.plural}.${kind.group}`, objects.length] as const);
  return { resources: new Map(resources), finalizers, stuck: stuckKinds(found) };
}

/** Returns the resources whose objects have neither a finalizer nor a grace period. */
function stuckKinds(found: readonly KindContent[]): readonly string[] {
  const isHeld = (object: StoredObject) => (object.metadata.finalizers ?? []).length > 0 || graceOf(object) > 0;
  return found
    .filter(({ objects }) => objects.length > 0 && !objects.some(isHeld))
    .map(({ kind: { group, version, plural } }) => `${group}/${version}, Resource=${plural}`);
}

function graceOf(object: StoredObject): number {
  if (!isPod(object)) return 0;
  return Math.max(object.metadata.deletionGracePeriodSeconds ?? 0, object.spec.terminationGracePeriodSeconds ?? 0);
}

function removeIfFinal({ store }: ApiScope, name: string): void {
  const namespace = store.get("namespaces", undefined, name);
  const isFinal = namespace !== undefined && finalizersOf(namespace).length === 0;
  if (isFinal && (namespace.metadata.finalizers ?? []).length === 0) store.remove("namespaces", undefined, name);
}
