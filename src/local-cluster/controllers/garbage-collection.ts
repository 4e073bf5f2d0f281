import type { OwnerReference } from "../../kube/types.ts";
import type { StoredObject } from "../api/store.ts";
import type { ApiScope } from "../api/verbs/call.ts";
import { type Controller, deleteObject, dropFinalizer, workQueue } from "./controller.ts";

/** An owner that was never seen may be about to come. */
const unknownOwnerDelayMs = 2_000;

const foreground = "foregroundDeletion";
const orphan = "orphan";

interface Place {
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * Deletes what is owned by nobody any more, and carries out foreground and orphaning deletions.
 *
 * Source: Kubernetes' owners and dependents, v1.35.
 */
export const startGarbageCollection: Controller = (api) => {
  const places = new Map<string, Place>();
  const dependents = new Map<string, Set<string>>();
  const queue = workQueue(api, (uid) => collect(uid));

  function objectOf(uid: string): { place: Place; object: StoredObject } | undefined {
    const place = places.get(uid);
    const object = place && api.store.get(place.collection, place.namespace, place.name);
    return place !== undefined && object?.metadata.uid === uid ? { place, object } : undefined;
  }

  function dependentsOf(uid: string) {
    return [...(dependents.get(uid) ?? [])].flatMap((dependent) => {
      const found = objectOf(dependent);
      return found === undefined ? [] : [found];
    });
  }

  function track(collection: string, object: StoredObject): void {
    const {
      uid,
      namespace,
      name,
      ownerReferences = [],
      deletionTimestamp,
      finalizers = [],
    } = object.metadata;
    places.set(uid, { collection, namespace, name });
    for (const owner of ownerReferences) {
      const known = dependents.get(owner.uid) ?? new Set();
      dependents.set(owner.uid, known.add(uid));
    }
    if (ownerReferences.some((owner) => !places.has(owner.uid))) queue.add(uid, unknownOwnerDelayMs);
    if (deletionTimestamp !== undefined) {
      if (finalizers.includes(foreground) || finalizers.includes(orphan)) queue.add(uid);
      // An owner in foreground deletion waits for this one.
      for (const owner of ownerReferences) queue.add(owner.uid);
    }
  }

  function forget(object: StoredObject): void {
    const { uid, ownerReferences = [] } = object.metadata;
    places.delete(uid);
    for (const dependent of dependents.get(uid) ?? []) queue.add(dependent);
    dependents.delete(uid);
    for (const owner of ownerReferences) {
      dependents.get(owner.uid)?.delete(uid);
      queue.add(owner.uid);
    }
  }

  /** Does what there is to do about one object, as it is now. */
  function collect(uid: string): void {
    const found = objectOf(uid);
    if (found === undefined) return;
    const { place, object } = found;
    const { finalizers = [], deletionTimestamp } = object.metadata;
    const isEnding = deletionTimestamp !== undefined;
    if (isEnding && finalizers.includes(orphan)) release(found);
    else if (isEnding && finalizers.includes(foreground)) awaitDependents(found);
    else checkOwners(place, object);
  }

  function checkOwners(place: Place, object: StoredObject): void {
    const owners = object.metadata.ownerReferences ?? [];
    const living = owners.filter((owner) => isOwner(owner, object));
    if (owners.length === 0 || living.length === owners.length) return;
    if (living.length === 0) deleteObject(api, place.collection, object, policyOf(object));
    else keepOwners(api, place, object, living);
  }

  function isOwner({ uid, kind, name }: OwnerReference, dependent: StoredObject): boolean {
    const owner = objectOf(uid)?.object;
    if (owner === undefined || owner.kind !== kind || owner.metadata.name !== name) return false;
    return (
      owner.metadata.namespace === undefined || owner.metadata.namespace === dependent.metadata.namespace
    );
  }

  /** Orphaning: dependents stay, without the reference. */
  function release({ place, object }: { place: Place; object: StoredObject }): void {
    for (const dependent of dependentsOf(object.metadata.uid)) {
      const rest = (dependent.object.metadata.ownerReferences ?? []).filter(
        ({ uid }) => uid !== object.metadata.uid,
      );
      keepOwners(api, dependent.place, dependent.object, rest);
    }
    dropFinalizer(api, place.collection, object, orphan);
  }

  /** Foreground: dependents go first, those at least that hold their owner. */
  function awaitDependents({ place, object }: { place: Place; object: StoredObject }): void {
    const all = dependentsOf(object.metadata.uid);
    for (const dependent of all) {
      if (dependent.object.metadata.deletionTimestamp !== undefined) continue;
      const hasOthers = dependentsOf(dependent.object.metadata.uid).length > 0;
      deleteObject(
        api,
        dependent.place.collection,
        dependent.object,
        hasOthers ? "Foreground" : "Background",
      );
    }
    const blocking = dependentsOf(object.metadata.uid).some((dependent) =>
      (dependent.object.metadata.ownerReferences ?? []).some(
        (owner) => owner.uid === object.metadata.uid && owner.blockOwnerDeletion === true,
      ),
    );
    if (!blocking) dropFinalizer(api, place.collection, object, foreground);
  }

  const stopListening = api.store.follow(({ type, collection, object, previous }) => {
    for (const owner of previous?.metadata.ownerReferences ?? []) {
      dependents.get(owner.uid)?.delete(object.metadata.uid);
    }
    if (type === "DELETED") forget(object);
    else track(collection, object);
  });
  return () => {
    stopListening();
    queue.stop();
  };
};

function policyOf({ metadata }: StoredObject): "Background" | "Foreground" | "Orphan" {
  const { finalizers = [] } = metadata;
  if (finalizers.includes(orphan)) return "Orphan";
  return finalizers.includes(foreground) ? "Foreground" : "Background";
}

function keepOwners(
  { store }: ApiScope,
  place: Place,
  { metadata }: StoredObject,
  owners: readonly OwnerReference[],
): void {
  store.update(place.collection, place.namespace, place.name, (current) => {
    if (current.metadata.uid !== metadata.uid) return current;
    const { ownerReferences: _, ...rest } = current.metadata;
    return { ...current, metadata: owners.length === 0 ? rest : { ...rest, ownerReferences: owners } };
  });
}
