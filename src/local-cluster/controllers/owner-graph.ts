import type { Store, StoredObject } from "../api/store.ts";

/** An object, and where it is. */
export interface OwnedObject {
  readonly collection: string;
  readonly object: StoredObject;
}

/** Which objects there are, and which of them name which owners. */
export interface OwnerGraph {
  readonly isKnown: (uid: string) => boolean;
  /** As it is now. */
  readonly find: (uid: string) => OwnedObject | undefined;
  readonly dependentsOf: (uid: string) => readonly OwnedObject[];
  readonly put: (found: OwnedObject, previous: StoredObject | undefined) => void;
  /** @returns the uids of what names it as an owner */
  readonly remove: (object: StoredObject) => readonly string[];
}

/** Empty at first. */
export function ownerGraph(store: Pick<Store, "get">): OwnerGraph {
  const places = new Map<
    string,
    { readonly collection: string; readonly namespace?: string; readonly name: string }
  >();
  const dependents = new Map<string, Set<string>>();

  function find(uid: string): OwnedObject | undefined {
    const place = places.get(uid);
    const object = place && store.get(place.collection, place.namespace, place.name);
    return place !== undefined && object?.metadata.uid === uid
      ? { collection: place.collection, object }
      : undefined;
  }

  function unlink({ metadata: { uid, ownerReferences = [] } }: StoredObject): void {
    for (const owner of ownerReferences) dependents.get(owner.uid)?.delete(uid);
  }

  return {
    isKnown: (uid) => places.has(uid),
    find,
    dependentsOf: (uid) => [...(dependents.get(uid) ?? [])].flatMap((dependent) => find(dependent) ?? []),
    put({ collection, object }, previous) {
      if (previous !== undefined) unlink(previous);
      const { uid, namespace, name, ownerReferences = [] } = object.metadata;
      places.set(uid, { collection, name, ...(namespace !== undefined && { namespace }) });
      for (const owner of ownerReferences) {
        const known = dependents.get(owner.uid) ?? new Set();
        dependents.set(owner.uid, known.add(uid));
      }
    },
    remove(object) {
      const { uid } = object.metadata;
      const left = [...(dependents.get(uid) ?? [])];
      places.delete(uid);
      dependents.delete(uid);
      unlink(object);
      return left;
    },
  };
}
