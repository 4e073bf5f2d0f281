import type { CollectionName, StoredObject, StoreEvent } from "./store.ts";

/** Where a store keeps its changes, so that the next process can take them up. */
export interface Journal {
  /** What an earlier store left. */
  readonly restored: RestoredState;
  /** Called once: how to get at all objects, for journals that begin anew from time to time. */
  readonly attach: (store: JournaledStore) => void;
  /** Keeps changes, all of them or none. @throws StatusError 507 */
  readonly keep: (changes: readonly StoreEvent[]) => void;
  /** Keeps changes now or, where the disk is full, as soon as it takes them: for what has happened and cannot be refused. */
  readonly keepLater: (changes: readonly StoreEvent[]) => void;
}

/** What a journal needs of its store. */
export interface JournaledStore {
  readonly revision: () => number;
  readonly objects: () => readonly KeptObject[];
}

export interface KeptObject {
  readonly collection: CollectionName;
  readonly object: StoredObject;
}

/** A change as a journal tells it: an object's new state, or its end. */
export type KeptChange = { readonly collection: CollectionName; readonly revision: number } & (
  | { readonly object: StoredObject }
  | { readonly object: undefined; readonly namespace: string | undefined; readonly name: string }
);

/** Objects as they were at a revision, and what happened to them since. */
export interface RestoredState {
  /** `undefined` for a store that is new. */
  readonly revision: number | undefined;
  readonly objects: readonly KeptObject[];
  /** In order of revision, all above `revision`. */
  readonly changes: readonly KeptChange[];
}
