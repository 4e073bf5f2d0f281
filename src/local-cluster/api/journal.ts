import type { CollectionName, StoredObject, StoreEvent } from "./store.ts";

/** Durable record of a store's changes, which the next process restores. */
export interface Journal {
  /** The state that an earlier store left. */
  readonly restored: RestoredState;
  /** Provides access to all objects, for journals that write snapshots. Called once. */
  readonly attach: (store: JournaledStore) => void;
  /** Writes changes, all of them or none. @throws StatusError 507 */
  readonly keep: (changes: readonly StoreEvent[]) => void;
  /** Writes changes now or, if the disk is full, as soon as possible: for changes that cannot be rejected. */
  readonly keepLater: (changes: readonly StoreEvent[]) => void;
}

/** The part of a store that a journal reads. */
export interface JournaledStore {
  readonly revision: () => number;
  readonly objects: () => readonly KeptObject[];
}

export interface KeptObject {
  readonly collection: CollectionName;
  readonly object: StoredObject;
}

/** A recorded change: an object's new state, or its deletion. */
export type KeptChange = { readonly collection: CollectionName; readonly revision: number } & (
  | { readonly object: StoredObject }
  | { readonly object: undefined; readonly namespace: string | undefined; readonly name: string }
);

/** Objects at a revision, and the changes since then. */
export interface RestoredState {
  /** `undefined` for a new store. */
  readonly revision: number | undefined;
  readonly objects: readonly KeptObject[];
  /** In order of revision, all above `revision`. */
  readonly changes: readonly KeptChange[];
}
