import type { Clock, Random } from "../../host/host.ts";
import { type Collection, createCollection } from "./collection.ts";
import { createEventHistory, type EventHistory } from "./event-history.ts";
import type { Journal, KeptChange, KeptObject, RestoredState } from "./journal.ts";
import { isSame } from "./json.ts";
import { identityOf, uidOf, withIdentity } from "./object-identity.ts";
import { type Share, sharing } from "./sharing.ts";
import type { CollectionName, Store, StoredObject, StoreEvent } from "./store.ts";
import { createStoreListeners, type StoreListener, type StoreListeners } from "./store-listeners.ts";
import { timestamp } from "./timestamp.ts";

/** Revisions start at the time since then in ms, so a later cluster never reuses revisions of an earlier one. */
const firstRevisionAt = Date.UTC(2020, 0, 1);

/** Options of an in-memory store. */
interface MemoryStoreOptions {
  /** Stores committed changes durably. @default nothing survives the process */
  readonly journal?: Journal | undefined;
  /** Receives errors of listeners, which do not affect the writer. @default throws them */
  readonly onFailure?: (error: unknown) => void;
}

/** A store in memory. */
export interface MemoryStore extends Store {
  /**
   * Returns the store for one request of a client. If the journal cannot store its first write, that write is rejected with
   * 507 and changes nothing; its later writes complete the same operation. Direct writes of the cluster record what has
   * happened, so they are never rejected and are stored as soon as possible.
   */
  readonly forRequest: () => Store;
}

interface StoreState {
  readonly host: { readonly clock: Clock; readonly random: Random };
  readonly journal: Journal | undefined;
  readonly collections: Map<CollectionName, Collection>;
  readonly history: EventHistory;
  readonly listeners: StoreListeners;
  readonly share: Share;
  /** Revision of the last change. */
  revision: number;
}

/** Writes changes to the journal, or throws. */
type Keep = Journal["keep"];

/** Creates a store with the journal's restored state, or an empty one. */
export function createMemoryStore(
  host: StoreState["host"],
  { journal, onFailure = rethrow }: MemoryStoreOptions = {},
): MemoryStore {
  const state: StoreState = {
    ...{ host, journal, collections: new Map(), history: createEventHistory() },
    ...{ listeners: createStoreListeners(onFailure), share: sharing(), revision: 0 },
  };
  if (journal !== undefined) restore(state, journal.restored);
  skipLostRevisions(state);
  journal?.attach({ revision: () => state.revision, objects: () => allObjects(state) });
  return {
    ...storeWith(state, (events) => journal?.keepLater(events)),
    forRequest() {
      let keep = journal?.keep;
      return storeWith(state, (events) => {
        keep?.(events);
        keep = journal?.keepLater;
      });
    },
  };
}

function rethrow(error: unknown): never {
  throw error;
}

function storeWith(state: StoreState, keep: Keep): Store {
  const { collections, listeners, history } = state;
  return {
    revision: () => state.revision,
    get: (name, namespace, object) => collections.get(name)?.get(namespace, object),
    list: (name, namespace) => collections.get(name)?.list(namespace) ?? [],
    subscribe: listeners.subscribe,
    follow: (listener) => follow(state, listener),
    since: history.since,
    create: (collection, object) => create(state, keep, { collection, object }),
    update: (collection, namespace, name, change) => update(state, keep, { collection, namespace, name, change }),
    remove: (collection, namespace, name) => remove(state, keep, { collection, namespace, name }),
  };
}

function collectionOf({ collections }: StoreState, name: CollectionName): Collection {
  const known = collections.get(name);
  if (known !== undefined) return known;
  const created = createCollection();
  collections.set(name, created);
  return created;
}

function allObjects({ collections }: StoreState): readonly KeptObject[] {
  return [...collections].flatMap(([collection, { list }]) =>
    list(undefined).map((object) => ({ collection, object })),
  );
}

/** Passes existing objects to a listener, then subscribes it. An object may change while the others are passed. */
function follow(state: StoreState, listener: StoreListener): () => void {
  const present = allObjects(state);
  const stop = state.listeners.subscribe(listener);
  for (const {
    collection,
    object: { metadata },
  } of present) {
    const object = state.collections.get(collection)?.get(metadata.namespace, metadata.name);
    if (object === undefined) continue;
    const revision = Number(object.metadata.resourceVersion);
    listener({ type: "ADDED", collection, object, previous: undefined, revision });
  }
  return stop;
}

/** Applies an event without notifying listeners. */
function apply(state: StoreState, event: StoreEvent): void {
  const { type, collection, object, revision } = event;
  state.revision = revision;
  if (type === "DELETED") collectionOf(state, collection).remove(object);
  else collectionOf(state, collection).put(object);
  state.history.add(event);
}

function commit(state: StoreState, keep: Keep, events: readonly StoreEvent[]): void {
  keep(events);
  for (const event of events) apply(state, event);
  state.listeners.notify(events);
}

function restore(state: StoreState, restored: RestoredState): void {
  for (const { collection, object } of restored.objects) collectionOf(state, collection).put(state.share(object));
  state.revision = restored.revision ?? 0;
  state.history.forget(state.revision);
  for (const change of restored.changes) {
    const shared = change.object === undefined ? change : { ...change, object: state.share(change.object) };
    const event = eventOf(shared, collectionOf(state, change.collection));
    if (event !== undefined) apply(state, event);
  }
}

/** Converts a restored change to an event; `undefined` for the deletion of a missing object. */
function eventOf(change: KeptChange, { get }: Collection): StoreEvent | undefined {
  const { collection, revision } = change;
  const { namespace, name } = change.object === undefined ? change : change.object.metadata;
  const previous = get(namespace, name);
  if (change.object !== undefined) {
    const type = previous === undefined ? "ADDED" : "MODIFIED";
    return { type, collection, object: change.object, previous, revision };
  }
  return previous === undefined ? undefined : deletion(collection, previous, revision);
}

/** The last writes may be lost after a power failure although clients saw them: their revisions must not be reused. */
function skipLostRevisions(state: StoreState): void {
  const next = Math.max(state.revision, state.host.clock.now() - firstRevisionAt);
  state.history.skip(state.revision, next);
  state.revision = next;
}

function deletion(collection: CollectionName, last: StoredObject, revision: number): StoreEvent {
  const object = withIdentity(last, { ...identityOf(last), resourceVersion: String(revision) });
  return { type: "DELETED", collection, object, previous: last, revision };
}

interface ObjectKey {
  readonly collection: CollectionName;
  readonly namespace: string | undefined;
  readonly name: string;
}

function find({ collections }: StoreState, { collection, namespace, name }: ObjectKey) {
  return collections.get(collection)?.get(namespace, name);
}

function create(
  state: StoreState,
  keep: Keep,
  { collection, object }: { readonly collection: CollectionName; readonly object: unknown },
): StoredObject | undefined {
  const { host, share } = state;
  const revision = state.revision + 1;
  const created = share(
    withIdentity(object, {
      uid: uidOf(object) ?? host.random.uuid(),
      creationTimestamp: timestamp(host.clock.now()),
      resourceVersion: String(revision),
    }),
  );
  const { namespace, name } = created.metadata;
  if (find(state, { collection, namespace, name }) !== undefined) return undefined;
  commit(state, keep, [{ type: "ADDED", collection, object: created, previous: undefined, revision }]);
  return created;
}

function update(
  state: StoreState,
  keep: Keep,
  { change, ...key }: ObjectKey & { readonly change: (current: StoredObject) => unknown },
): StoredObject | undefined {
  const { collection } = key;
  const current = find(state, key);
  if (current === undefined) return undefined;
  const changed = withIdentity(change(current), identityOf(current));
  // If the last finalizer was removed, watchers only see the deletion. Otherwise they first see the object terminating.
  if (isDeletable(changed) && hasNoGrace(current)) return deleteNow(state, keep, { collection, object: current });
  if (isSame(changed, current)) return current;
  const revision = state.revision + 1;
  const revised = withIdentity(changed, { ...identityOf(current), resourceVersion: String(revision) });
  const object = state.share(revised, current);
  const event: StoreEvent = { type: "MODIFIED", collection, object, previous: current, revision };
  const end = isDeletable(object) ? deletion(collection, object, revision + 1) : undefined;
  commit(state, keep, end === undefined ? [event] : [event, end]);
  return end?.object ?? object;
}

function remove(state: StoreState, keep: Keep, key: ObjectKey): StoredObject | undefined {
  const object = find(state, key);
  return object === undefined ? undefined : deleteNow(state, keep, { collection: key.collection, object });
}

function deleteNow(state: StoreState, keep: Keep, { collection, object }: KeptObject): StoredObject {
  const event = deletion(collection, object, state.revision + 1);
  commit(state, keep, [event]);
  return event.object;
}

function hasNoGrace({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

function isDeletable(object: StoredObject): boolean {
  return hasNoGrace(object) && (object.metadata.finalizers ?? []).length === 0;
}
