import type { Clock, Random } from "../../host/host.ts";
import type { Journal, KeptChange, RestoredState } from "./journal.ts";
import { isObject, isSame } from "./json.ts";
import { type Share, sharing } from "./sharing.ts";
import type { CollectionName, Store, StoredObject, StoreEvent } from "./store.ts";
import { timestamp } from "./timestamp.ts";

/** How many events a store remembers for watches that resume. */
const rememberedEvents = 5_000;
const forgottenAtOnce = 1_000;

/** Revisions count from here, so that a later cluster never repeats the revisions of an earlier one. */
const firstRevisionAt = Date.UTC(2020, 0, 1);

/** What a store in memory works with. */
export interface MemoryStoreOptions {
  /** Keeps what is committed; without one, the store forgets everything with its process. */
  readonly journal?: Journal | undefined;
  /** Told of a listener that fails; its failure is none of the writer's business. @default throws it */
  readonly onFailure?: (error: unknown) => void;
}

/** A store in memory. */
export interface MemoryStore extends Store {
  /**
   * The same store for one request of a client: its first write is refused (507) where the journal cannot keep it, and then nothing
   * was done. What it writes after that belongs to the same deed. Writes of the cluster itself tell what has happened; they are
   * kept as soon as that can be.
   */
  readonly forRequest: () => Store;
}

export function createMemoryStore(
  host: { readonly clock: Clock; readonly random: Random },
  { journal, onFailure = rethrow }: MemoryStoreOptions = {},
): MemoryStore {
  const collections = new Map<CollectionName, Collection>();
  const history = createHistory();
  const tell = createTeller(onFailure);
  const share = sharing();
  let revision = 0;

  function collection(name: CollectionName): Collection {
    const known = collections.get(name);
    if (known !== undefined) return known;
    const made = createCollection();
    collections.set(name, made);
    return made;
  }

  function put({ type, collection: name, object }: StoreEvent): void {
    if (type === "DELETED") collection(name).remove(object);
    else collection(name).put(object);
  }

  function commit(events: readonly StoreEvent[]): void {
    for (const event of events) {
      revision = event.revision;
      put(event);
      history.add(event);
    }
    tell.about(events);
  }

  function restore(state: RestoredState): void {
    for (const { collection: name, object } of state.objects) collection(name).put(share(object));
    revision = state.revision ?? 0;
    history.forget(revision);
    for (const change of state.changes) {
      const kept = change.object === undefined ? change : { ...change, object: share(change.object) };
      const event = eventOf(kept, collection(change.collection));
      if (event === undefined) continue;
      put(event);
      history.add(event);
      revision = event.revision;
    }
  }

  if (journal !== undefined) restore(journal.restored);
  // What was written last may have been lost with the machine's power, and was seen by clients: its revisions are not used again.
  const begun = Math.max(revision, host.clock.now() - firstRevisionAt);
  history.skip(revision, begun);
  revision = begun;
  const all = () =>
    [...collections].flatMap(([name, { list }]) =>
      list(undefined).map((object) => ({ collection: name, object })),
    );
  journal?.attach({ revision: () => revision, objects: all });

  const reading = {
    revision: () => revision,
    get: (name: CollectionName, namespace: string | undefined, object: string) =>
      collections.get(name)?.get(namespace, object),
    list: (name: CollectionName, namespace?: string) => collections.get(name)?.list(namespace) ?? [],
    subscribe: tell.subscribe,
    follow(listener: (event: StoreEvent) => void) {
      const present = all();
      const stop = tell.subscribe(listener);
      for (const {
        collection: name,
        object: { metadata },
      } of present) {
        const object = collections.get(name)?.get(metadata.namespace, metadata.name);
        if (object === undefined) continue;
        const at = Number(object.metadata.resourceVersion);
        listener({ type: "ADDED", collection: name, object, previous: undefined, revision: at });
      }
      return stop;
    },
    since: history.since,
  };
  const face = (keep: Journal["keep"]): Store => ({
    ...reading,
    ...writer({ ...host, share }, reading, (events) => {
      keep(events);
      commit(events);
    }),
  });
  return {
    ...face((events) => journal?.keepLater(events)),
    forRequest() {
      let keep = journal?.keep;
      return face((events) => {
        keep?.(events);
        keep = journal?.keepLater;
      });
    },
  };
}

function rethrow(error: unknown): never {
  throw error;
}

/** What a restored change did to a collection; `undefined` for the end of what was not there. */
function eventOf(change: KeptChange, { get }: Collection): StoreEvent | undefined {
  const { collection, revision } = change;
  const place = change.object === undefined ? change : change.object.metadata;
  const previous = get(place.namespace, place.name);
  if (change.object !== undefined) {
    const type = previous === undefined ? "ADDED" : "MODIFIED";
    return { type, collection, object: change.object, previous, revision };
  }
  if (previous === undefined) return undefined;
  const object = stamped(previous, { ...identityOf(previous), resourceVersion: String(revision) });
  return { type: "DELETED", collection, object, previous, revision };
}

type Commit = (events: readonly StoreEvent[]) => void;

/** The verbs that change a store. */
function writer(
  host: { readonly clock: Clock; readonly random: Random; readonly share: Share },
  { revision, get }: Pick<Store, "revision" | "get">,
  commit: Commit,
): Pick<Store, "create" | "update" | "remove"> {
  const next = () => revision() + 1;

  function ending(collection: CollectionName, last: StoredObject, at: number): StoreEvent {
    const object = stamped(last, { ...identityOf(last), resourceVersion: String(at) });
    return { type: "DELETED", collection, object, previous: last, revision: at };
  }

  function drop(event: StoreEvent): StoredObject {
    commit([event]);
    return event.object;
  }

  return {
    create(collection, object) {
      const created = host.share(
        stamped(object, {
          uid: uidOf(object) ?? host.random.uuid(),
          creationTimestamp: timestamp(host.clock.now()),
          resourceVersion: String(next()),
        }),
      );
      if (get(collection, created.metadata.namespace, created.metadata.name) !== undefined) return undefined;
      commit([{ type: "ADDED", collection, object: created, previous: undefined, revision: next() }]);
      return created;
    },
    update(collection, namespace, name, change) {
      const current = get(collection, namespace, name);
      if (current === undefined) return undefined;
      const changed = stamped(change(current), identityOf(current));
      // What ends because its last finalizer went is only deleted; what is told to end now is first seen ending.
      if (isOver(changed) && isEnding(current)) return drop(ending(collection, current, next()));
      if (isSame(changed, current)) return current;
      const revised = stamped(changed, { ...identityOf(current), resourceVersion: String(next()) });
      const object = host.share(revised, current);
      const event: StoreEvent = { type: "MODIFIED", collection, object, previous: current, revision: next() };
      const end = isOver(object) ? ending(collection, object, next() + 1) : undefined;
      commit(end === undefined ? [event] : [event, end]);
      return end?.object ?? object;
    },
    remove(collection, namespace, name) {
      const current = get(collection, namespace, name);
      return current === undefined ? undefined : drop(ending(collection, current, next()));
    },
  };
}

/** Tells listeners of events, each of all before the next. */
function createTeller(onFailure: (error: unknown) => void) {
  const listeners = new Set<(event: StoreEvent) => void>();
  const pending: StoreEvent[] = [];
  let isTelling = false;

  function tellOf(event: StoreEvent): void {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch (error) {
        onFailure(error);
      }
    }
  }

  return {
    subscribe(listener: (event: StoreEvent) => void): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    // A listener may write: its event must reach every listener after the one that it answers.
    about(events: readonly StoreEvent[]): void {
      pending.push(...events);
      if (isTelling) return;
      isTelling = true;
      try {
        for (let event = pending.shift(); event !== undefined; event = pending.shift()) tellOf(event);
      } finally {
        isTelling = false;
      }
    },
  };
}

/** The last events, for watches that resume. */
function createHistory() {
  let events: StoreEvent[] = [];
  let forgotten = 0;
  /** Revisions between these belong to nothing that we know of. */
  let gap = { after: 0, before: 0 };
  return {
    add(event: StoreEvent): void {
      events.push(event);
      if (events.length < rememberedEvents + forgottenAtOnce) return;
      forgotten = events[forgottenAtOnce - 1]?.revision ?? forgotten;
      events = events.slice(forgottenAtOnce);
    },
    forget(revision: number): void {
      forgotten = revision;
    },
    skip(after: number, before: number): void {
      gap = { after, before };
      if (events.length === 0) forgotten = Math.max(forgotten, after);
    },
    since(revision: number): readonly StoreEvent[] | undefined {
      if (revision < forgotten || (revision > gap.after && revision < gap.before)) return undefined;
      return events.slice(firstAfter(events, revision));
    },
  };
}

interface Collection {
  readonly get: (namespace: string | undefined, name: string) => StoredObject | undefined;
  readonly list: (namespace: string | undefined) => readonly StoredObject[];
  readonly put: (object: StoredObject) => void;
  readonly remove: (object: StoredObject) => void;
}

/** Objects by namespace and name; lists are sorted when they are asked for, and kept until the next change. */
function createCollection(): Collection {
  const namespaces = new Map<string, Map<string, StoredObject>>();
  const lists = new Map<string | undefined, readonly StoredObject[]>();

  function forgetLists(namespace: string): void {
    lists.delete(namespace);
    lists.delete(undefined);
  }

  function sorted(namespace: string): readonly StoredObject[] {
    const objects = namespaces.get(namespace);
    if (objects === undefined) return [];
    const known = lists.get(namespace);
    if (known !== undefined) return known;
    const list = [...objects.values()].sort((a, b) => compare(a.metadata.name, b.metadata.name));
    lists.set(namespace, list);
    return list;
  }

  return {
    get: (namespace = "", name) => namespaces.get(namespace)?.get(name),
    list(namespace) {
      if (namespace !== undefined) return sorted(namespace);
      const known = lists.get(undefined);
      if (known !== undefined) return known;
      // The slash counts, as it does in the keys of a real cluster: `a-b/x` comes before `a/x`.
      const names = [...namespaces.keys()].sort((a, b) => compare(`${a}/`, `${b}/`));
      const list = names.flatMap((name) => sorted(name));
      lists.set(undefined, list);
      return list;
    },
    put(object) {
      const namespace = object.metadata.namespace ?? "";
      const objects = namespaces.get(namespace);
      if (objects === undefined) namespaces.set(namespace, new Map([[object.metadata.name, object]]));
      else objects.set(object.metadata.name, object);
      forgetLists(namespace);
    },
    remove(object) {
      const namespace = object.metadata.namespace ?? "";
      const objects = namespaces.get(namespace);
      objects?.delete(object.metadata.name);
      if (objects?.size === 0) namespaces.delete(namespace);
      forgetLists(namespace);
    },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What only the store decides. */
type Identity = Pick<StoredObject["metadata"], "uid" | "creationTimestamp" | "resourceVersion">;

/** Whoever writes past the API may have needed the uid before. */
function uidOf(object: unknown): string | undefined {
  const metadata = isObject(object) ? object["metadata"] : undefined;
  const uid = isObject(metadata) ? metadata["uid"] : undefined;
  return typeof uid === "string" && uid !== "" ? uid : undefined;
}

function identityOf({ metadata }: StoredObject): Identity {
  const { uid, creationTimestamp, resourceVersion } = metadata;
  return { uid, resourceVersion, ...(creationTimestamp === undefined ? {} : { creationTimestamp }) };
}

function stamped(object: unknown, identity: Identity): StoredObject {
  const metadata = isObject(object) && isObject(object["metadata"]) ? object["metadata"] : {};
  const result = { ...(isObject(object) ? object : {}), metadata: { ...metadata, ...identity } };
  if (!isStored(result))
    throw new TypeError("An object for the store needs apiVersion, kind and metadata.name.");
  return result;
}

function isStored(value: {
  readonly metadata: object;
  readonly [field: string]: unknown;
}): value is StoredObject {
  const { apiVersion, kind, metadata } = value;
  return (
    typeof apiVersion === "string" &&
    typeof kind === "string" &&
    "name" in metadata &&
    typeof metadata.name === "string"
  );
}

function isEnding({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

function isOver(object: StoredObject): boolean {
  return isEnding(object) && (object.metadata.finalizers ?? []).length === 0;
}

/** Index of the first event after a revision; events are in order of revision. */
function firstAfter(events: readonly StoreEvent[], revision: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.revision ?? 0) > revision) high = middle;
    else low = middle + 1;
  }
  return low;
}
