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

/** Name of a collection: the plural, followed by the group unless it is the core group: `pods`, `statefulsets.apps`. */
export type CollectionName = string;

export interface StoreEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly collection: CollectionName;
  /** The object after the change; for DELETED its last state, with the revision of the deletion. */
  readonly object: StoredObject;
  /** The object before the change. */
  readonly previous: StoredObject | undefined;
  /** The revision of the change; events come in this order, without gaps within a collection's history. */
  readonly revision: number;
}

/**
 * The objects of the embedded cluster, with one revision counter. Writes are synchronous: no other write can occur between a read
 * and a commit. Controllers and the kubelet write directly. Clients use the API, which defaults, validates and admits objects
 * before it calls `create` or `update`.
 */
export interface Store {
  readonly revision: () => number;
  readonly get: (collection: CollectionName, namespace: string | undefined, name: string) => StoredObject | undefined;
  /** Lists objects sorted by namespace and name. */
  readonly list: (collection: CollectionName, namespace?: string) => readonly StoredObject[];
  /** Stores a new object and sets uid (unless present), creationTimestamp and resourceVersion. `undefined` if the name exists. */
  readonly create: (collection: CollectionName, object: unknown) => StoredObject | undefined;
  /**
   * Replaces an object by `change(current)`. If that changes nothing, the revision stays and no listener is notified. Removes an
   * object that has a deletionTimestamp, no finalizers and no grace period left. `undefined` if the object does not exist.
   */
  readonly update: (
    collection: CollectionName,
    namespace: string | undefined,
    name: string,
    change: (current: StoredObject) => unknown,
  ) => StoredObject | undefined;
  /** Removes an object immediately, whatever its finalizers. `undefined` if it does not exist. */
  readonly remove: (
    collection: CollectionName,
    namespace: string | undefined,
    name: string,
  ) => StoredObject | undefined;
  /** Calls `listener` synchronously after each commit, in order. Returns a function that unsubscribes. */
  readonly subscribe: (listener: (event: StoreEvent) => void) => () => void;
  /** Subscribes after passing all existing objects to `listener` as ADDED. */
  readonly follow: (listener: (event: StoreEvent) => void) => () => void;
  /** Returns the events after a revision; `undefined` if it is too old (410). */
  readonly since: (revision: number) => readonly StoreEvent[] | undefined;
}
