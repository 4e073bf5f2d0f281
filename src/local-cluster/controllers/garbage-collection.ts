import type { OwnerReference } from "../../kube/types.ts";
import type { ApiScope } from "../api/call.ts";
import type { StoredObject } from "../api/store.ts";
import { type Controller, deleteObject, dropFinalizer, startReconciler, type WorkQueue } from "./controller.ts";
import { type OwnedObject, type OwnerGraph, ownerGraph } from "./owner-graph.ts";

/** Delay for unknown owners, which may be about to be created. */
const unknownOwnerDelayMs = 2_000;

const foreground = "foregroundDeletion";
const orphan = "orphan";

/**
 * Deletes objects whose owners no longer exist, and executes foreground and orphaning deletions.
 *
 * Source: Kubernetes 1.35, owners and dependents.
 */
export const startGarbageCollection: Controller = (api) => {
  const graph = ownerGraph(api.store);
  return startReconciler(api, {
    observe({ type, collection, object, previous }, add) {
      if (type === "DELETED") {
        for (const dependent of graph.remove(object)) add(dependent);
        for (const owner of object.metadata.ownerReferences ?? []) add(owner.uid);
        return;
      }
      graph.put({ collection, object }, previous);
      enqueue(graph, object, add);
      const before = previous?.metadata.ownerReferences ?? [];
      // An object that lost its owner reference may have been the last that blocked its owner.
      if (before !== object.metadata.ownerReferences) for (const owner of before) add(owner.uid);
    },
    work(uid) {
      const found = graph.find(uid);
      if (found !== undefined) collect({ api, graph }, found);
    },
  });
};

function enqueue(graph: OwnerGraph, { metadata }: StoredObject, add: WorkQueue["add"]): void {
  const { uid, ownerReferences = [], deletionTimestamp, finalizers = [] } = metadata;
  if (ownerReferences.some((owner) => !graph.isKnown(owner.uid))) add(uid, unknownOwnerDelayMs);
  if (deletionTimestamp === undefined) return;
  if (finalizers.includes(foreground) || finalizers.includes(orphan)) add(uid);
  // An owner in foreground deletion waits for this object.
  for (const owner of ownerReferences) add(owner.uid);
}

interface Collecting {
  readonly api: ApiScope;
  readonly graph: OwnerGraph;
}

/** Reconciles one object in its current state. */
function collect(collecting: Collecting, found: OwnedObject): void {
  const { finalizers = [], deletionTimestamp } = found.object.metadata;
  const isTerminating = deletionTimestamp !== undefined;
  if (isTerminating && finalizers.includes(orphan)) orphanDependents(collecting, found);
  else if (isTerminating && finalizers.includes(foreground)) deleteDependents(collecting, found);
  else checkOwners(collecting, found);
}

function checkOwners({ api, graph }: Collecting, found: OwnedObject): void {
  const { object, collection } = found;
  const owners = object.metadata.ownerReferences ?? [];
  const existing = owners.filter((owner) => ownerOf(graph, owner, object) !== undefined);
  if (owners.length === 0 || existing.length === owners.length) return;
  if (existing.length === 0) deleteObject(api, collection, object, policyOf(object));
  else keepOwners(api, found, existing);
}

function ownerOf(
  graph: OwnerGraph,
  { uid, kind, name }: OwnerReference,
  dependent: StoredObject,
): StoredObject | undefined {
  const owner = graph.find(uid)?.object;
  if (owner === undefined || owner.kind !== kind || owner.metadata.name !== name) return undefined;
  const { namespace = dependent.metadata.namespace } = owner.metadata;
  return namespace === dependent.metadata.namespace ? owner : undefined;
}

/** Removes the reference from all dependents, which stay. */
function orphanDependents({ api, graph }: Collecting, { collection, object }: OwnedObject): void {
  const { uid } = object.metadata;
  for (const dependent of graph.dependentsOf(uid)) {
    const others = (dependent.object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
    keepOwners(api, dependent, others);
  }
  dropFinalizer(api, collection, object, orphan);
}

/**
 * Deletes the dependents of an owner in foreground deletion, at least those that block it. A dependent with another remaining
 * owner is only detached.
 */
function deleteDependents({ api, graph }: Collecting, { collection, object }: OwnedObject): void {
  const { uid } = object.metadata;
  for (const dependent of graph.dependentsOf(uid)) {
    if (dependent.object.metadata.deletionTimestamp !== undefined) continue;
    const remaining = remainingOwners(graph, dependent.object);
    const others = graph.dependentsOf(dependent.object.metadata.uid);
    const hasOthers = others.length > 0;
    // In a circle of owners, each would wait for the next.
    if (others.some(isInForegroundDeletion)) unblockOwners(api, dependent);
    if (remaining.length > 0) keepOwners(api, dependent, remaining);
    else deleteObject(api, dependent.collection, dependent.object, hasOthers ? "Foreground" : "Background");
  }
  const isBlocked = graph
    .dependentsOf(uid)
    .flatMap((dependent) => dependent.object.metadata.ownerReferences ?? [])
    .some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
  if (!isBlocked) dropFinalizer(api, collection, object, foreground);
}

function isInForegroundDeletion({ object: { metadata } }: OwnedObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(foreground) === true;
}

/** Lets the owners of an object be deleted before it. */
function unblockOwners(api: ApiScope, dependent: OwnedObject): void {
  const owners = dependent.object.metadata.ownerReferences ?? [];
  const unblocked = owners.map((owner) =>
    owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner,
  );
  keepOwners(api, dependent, unblocked);
}

/** Returns the owners that exist and are not in foreground deletion. */
function remainingOwners(graph: OwnerGraph, dependent: StoredObject): readonly OwnerReference[] {
  return (dependent.metadata.ownerReferences ?? []).filter((reference) => {
    const owner = ownerOf(graph, reference, dependent);
    if (owner === undefined) return false;
    const { deletionTimestamp, finalizers = [] } = owner.metadata;
    return deletionTimestamp === undefined || !finalizers.includes(foreground);
  });
}

function policyOf({ metadata }: StoredObject): "Background" | "Foreground" | "Orphan" {
  const { finalizers = [] } = metadata;
  if (finalizers.includes(orphan)) return "Orphan";
  return finalizers.includes(foreground) ? "Foreground" : "Background";
}

function keepOwners(
  { store }: ApiScope,
  { collection, object: { metadata } }: OwnedObject,
  owners: readonly OwnerReference[],
): void {
  store.update(collection, metadata.namespace, metadata.name, (current) => {
    if (current.metadata.uid !== metadata.uid) return current;
    const { ownerReferences: _, ...rest } = current.metadata;
    return { ...current, metadata: owners.length === 0 ? rest : { ...rest, ownerReferences: owners } };
  });
}
