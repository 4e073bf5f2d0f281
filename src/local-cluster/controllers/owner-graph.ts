import type { Store, StoredObject } from "../api/store.ts";

/** An object and its collection. */
export interface OwnedObject {
  readonly collection: string;
  readonly object: StoredObject;
}

/** An index of objects by uid and of dependents by owner. */
export interface OwnerGraph {
  readonly isKnown: (uid: string) => boolean;
  /** Returns the current state of an object. */
  readonly find: (uid: string) => OwnedObject | undefined;
  readonly dependentsOf: (uid: string) => readonly OwnedObject[];
  readonly put: (found: OwnedObject, previous: StoredObject | undefined) => void;
  /** Removes an object. @returns the uids of its dependents */
  readonly remove: (object: StoredObject) => readonly string[];
}

/** Creates an empty index. */
export function ownerGraph(store: Pick<Store, "get">): OwnerGraph {
  const locations = new Map<
    string,
    { readonly collection: string; readonly namespace?: string; readonly name: string }
  >();
  const dependents = new Map<string, Set<string>>();

  function find(uid: string): OwnedObject | undefined {
    const location = locations.get(uid);
    const object = location && store.get(location.collection, location.namespace, location.name);
    return location !== undefined && object?.metadata.uid === uid
      ? { collection: location.collection, object }
      : undefined;
  }

  function unlink({ metadata: { uid, ownerReferences = [] } }: StoredObject): void {
    for (const owner of ownerReferences) dependents.get(owner.uid)?.delete(uid);
  }

  return {
    isKnown: (uid) => locations.has(uid),
    find,
    dependentsOf: (uid) => [...(dependents.get(uid) ?? [])].flatMap((dependent) => find(dependent) ?? []),
    put({ collection, object }, previous) {
      if (previous !== undefined) unlink(previous);
      const { uid, namespace, name, ownerReferences = [] } = object.metadata;
      locations.set(uid, { collection, name, ...(namespace !== undefined && { namespace }) });
      for (const owner of ownerReferences) {
        const known = dependents.get(owner.uid) ?? new Set();
        dependents.set(owner.uid, known.add(uid));
      }
    },
    remove(object) {
      const { uid } = object.metadata;
      const remaining = [...(dependents.get(uid) ?? [])];
      locations.delete(uid);
      dependents.delete(uid);
      unlink(object);
      return remaining;
    },
  };
}
