import type { StoredObject } from "./store.ts";

/** The objects of one collection, by namespace and name. */
export interface Collection {
  readonly get: (namespace: string | undefined, name: string) => StoredObject | undefined;
  /** Lists the objects of a namespace, or of all, in the order of etcd's keys. */
  readonly list: (namespace: string | undefined) => readonly StoredObject[];
  readonly put: (object: StoredObject) => void;
  readonly remove: (object: StoredObject) => void;
}

interface CollectionState {
  readonly namespaces: Map<string, Map<string, StoredObject>>;
  /** Sorted lists until the next change, by namespace; `undefined` for all namespaces. */
  readonly lists: Map<string | undefined, readonly StoredObject[]>;
}

/** Creates an empty collection. */
export function createCollection(): Collection {
  const state: CollectionState = { namespaces: new Map(), lists: new Map() };
  return {
    get: (namespace = "", name) => state.namespaces.get(namespace)?.get(name),
    list: (namespace) => (namespace === undefined ? listAll(state) : listNamespace(state, namespace)),
    put: (object) => putObject(state, object),
    remove: (object) => removeObject(state, object),
  };
}

function listNamespace({ namespaces, lists }: CollectionState, namespace: string): readonly StoredObject[] {
  const objects = namespaces.get(namespace);
  if (objects === undefined) return [];
  const known = lists.get(namespace);
  if (known !== undefined) return known;
  const list = [...objects.values()].sort((a, b) => compareText(a.metadata.name, b.metadata.name));
  lists.set(namespace, list);
  return list;
}

function listAll(state: CollectionState): readonly StoredObject[] {
  const known = state.lists.get(undefined);
  if (known !== undefined) return known;
  // Compare with the slash, as in etcd's keys: `a-b/x` precedes `a/x`.
  const names = [...state.namespaces.keys()].sort((a, b) => compareText(`${a}/`, `${b}/`));
  const list = names.flatMap((name) => listNamespace(state, name));
  state.lists.set(undefined, list);
  return list;
}

function putObject(state: CollectionState, object: StoredObject): void {
  const { namespace = "", name } = object.metadata;
  const objects = state.namespaces.get(namespace);
  if (objects === undefined) state.namespaces.set(namespace, new Map([[name, object]]));
  else objects.set(name, object);
  forgetLists(state, namespace);
}

function removeObject(state: CollectionState, { metadata: { namespace = "", name } }: StoredObject): void {
  const objects = state.namespaces.get(namespace);
  objects?.delete(name);
  if (objects?.size === 0) state.namespaces.delete(namespace);
  forgetLists(state, namespace);
}

function forgetLists({ lists }: CollectionState, namespace: string): void {
  lists.delete(namespace);
  lists.delete(undefined);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
