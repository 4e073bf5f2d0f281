import type { Clock, Random } from "../../host/host.ts";
import { isObject, isSame } from "./json.ts";
import type { CollectionName, Store, StoredObject, StoreEvent } from "./store.ts";
import { timestamp } from "./timestamp.ts";

/** How many events a store remembers for watches that resume. */
const rememberedEvents = 10_000;

/** Revisions count from here, so that a later cluster never repeats the revisions of an earlier one. */
const firstRevisionAt = Date.UTC(2020, 0, 1);

/** A store in memory: it forgets everything with its process. */
export function createMemoryStore(host: { readonly clock: Clock; readonly random: Random }): Store {
  const collections = new Map<CollectionName, Collection>();
  const listeners = new Set<(event: StoreEvent) => void>();
  let revision = host.clock.now() - firstRevisionAt;
  let history: StoreEvent[] = [];
  let forgotten = revision;

  function collection(name: CollectionName): Collection {
    const known = collections.get(name);
    if (known !== undefined) return known;
    const made = createCollection();
    collections.set(name, made);
    return made;
  }

  const pending: StoreEvent[] = [];
  let telling = false;

  function commit(event: StoreEvent): void {
    revision = event.revision;
    const changed = collection(event.collection);
    if (event.type === "DELETED") changed.remove(event.object);
    else changed.put(event.object);
    history.push(event);
    if (history.length >= 2 * rememberedEvents) {
      forgotten = history[rememberedEvents - 1]?.revision ?? forgotten;
      history = history.slice(rememberedEvents);
    }
    pending.push(event);
    tell();
  }

  // A listener may write: its event must reach every listener after the one that it answers.
  function tell(): void {
    if (telling) return;
    telling = true;
    try {
      for (let event = pending.shift(); event !== undefined; event = pending.shift()) {
        for (const listener of [...listeners]) listener(event);
      }
    } finally {
      telling = false;
    }
  }

  function drop(name: CollectionName, last: unknown, previous: StoredObject): StoredObject {
    const object = stamped(last, { ...identityOf(previous), resourceVersion: String(revision + 1) });
    commit({ type: "DELETED", collection: name, object, previous, revision: revision + 1 });
    return object;
  }

  return {
    revision: () => revision,
    get: (name, namespace, object) => collections.get(name)?.get(namespace, object),
    list: (name, namespace) => collections.get(name)?.list(namespace) ?? [],
    create(name, object) {
      const created = stamped(object, {
        uid: uidOf(object) ?? host.random.uuid(),
        creationTimestamp: timestamp(host.clock.now()),
        resourceVersion: String(revision + 1),
      });
      if (collection(name).get(created.metadata.namespace, created.metadata.name) !== undefined)
        return undefined;
      commit({
        type: "ADDED",
        collection: name,
        object: created,
        previous: undefined,
        revision: revision + 1,
      });
      return created;
    },
    update(name, namespace, object, change) {
      const current = collections.get(name)?.get(namespace, object);
      if (current === undefined) return undefined;
      const changed = stamped(change(current), identityOf(current));
      const next = stamped(changed, { ...identityOf(current), resourceVersion: String(revision + 1) });
      // What ends because its last finalizer went is only deleted; what is told to end now is first seen ending.
      if (isOver(next) && isEnding(current)) return drop(name, current, current);
      if (isSame(changed, current)) return current;
      commit({ type: "MODIFIED", collection: name, object: next, previous: current, revision: revision + 1 });
      return isOver(next) ? drop(name, next, next) : next;
    },
    remove(name, namespace, object) {
      const current = collections.get(name)?.get(namespace, object);
      return current === undefined ? undefined : drop(name, current, current);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    since(after) {
      if (after < forgotten) return undefined;
      return history.slice(firstAfter(history, after));
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
