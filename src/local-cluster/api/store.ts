import type { ObjectMeta } from "../../kube/types.ts";

/** An object as the store keeps it: never changed in place, always replaced. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<ObjectMeta> & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly [field: string]: unknown;
}

/** Names a collection: the plural, with the group for kinds outside the core group: `pods`, `statefulsets.apps`. */
export type CollectionName = string;

export interface StoreEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly collection: CollectionName;
  /** After the change; for DELETED the last state, with the revision of the deletion. */
  readonly object: StoredObject;
  /** Before the change. */
  readonly previous: StoredObject | undefined;
  /** The revision of the change; events come in this order, without gaps within a collection's history. */
  readonly revision: number;
}

/**
 * All objects of the embedded cluster, with one revision counter. Writes are synchronous: no other write comes between
 * a read and a commit. Controllers and the kubelet write through it directly; clients come through the API, which
 * defaults, validates and admits before it calls `create` or `update`.
 */
export interface Store {
  readonly revision: () => number;
  readonly get: (
    collection: CollectionName,
    namespace: string | undefined,
    name: string,
  ) => StoredObject | undefined;
  /** In order of namespace and name. */
  readonly list: (collection: CollectionName, namespace?: string) => readonly StoredObject[];
  /** Gives uid (unless it has one), creationTimestamp and resourceVersion. `undefined` when the name is taken. */
  readonly create: (collection: CollectionName, object: unknown) => StoredObject | undefined;
  /**
   * Replaces an object by `change(current)`. The same content keeps the revision and tells nobody. `undefined` when it
   * does not exist. An object with a deletionTimestamp, no finalizers and no grace left is removed.
   */
  readonly update: (
    collection: CollectionName,
    namespace: string | undefined,
    name: string,
    change: (current: StoredObject) => unknown,
  ) => StoredObject | undefined;
  /** Removes at once, whatever its finalizers. `undefined` when it did not exist. */
  readonly remove: (
    collection: CollectionName,
    namespace: string | undefined,
    name: string,
  ) => StoredObject | undefined;
  /** Called after each commit, in order, synchronously. Returns how to stop. */
  readonly subscribe: (listener: (event: StoreEvent) => void) => () => void;
  /** The same, after being told of all that there is as ADDED: for those who keep count of objects. */
  readonly follow: (listener: (event: StoreEvent) => void) => () => void;
  /** Events after a revision; `undefined` when it is too old to know (410). */
  readonly since: (revision: number) => readonly StoreEvent[] | undefined;
}
