import { isObject, type JsonObject } from "../json.ts";
import type { VersionConversion } from "../kinds/custom-format.ts";
import type { Store, StoredObject, StoreEvent } from "../store.ts";
import { withMetadataOf } from "./conversion-review.ts";
import { isUsable, UnconvertedError } from "./webhook-conversion.ts";

/** Has objects converted by a webhook, until it succeeds or `isOpen` returns false. Never rejects. */
export type ConvertObjects = (objects: readonly StoredObject[], isOpen: () => boolean) => Promise<void>;

interface VersionedState {
  readonly store: Store;
  readonly conversion: VersionConversion;
  readonly convert: ConvertObjects;
  /** Objects that were written, and their forms as their writer sees them. */
  readonly written: Map<StoredObject, JsonObject>;
}

/** A store whose objects of one collection have another version than the stored one. */
interface VersionedStore extends Store {
  /** Forgets how the writer saw the written objects: other requests see them as the webhook converts them. */
  readonly forgetWritten: () => void;
}

/**
 * Returns a store whose objects of one collection have another version than the stored one. Its methods throw UnconvertedError for
 * objects that a webhook must convert first.
 */
export function versionedStore(store: Store, conversion: VersionConversion, convert: ConvertObjects): VersionedStore {
  const state: VersionedState = { store, conversion, convert, written: new Map() };
  const isOwn = (name: string) => name === conversion.collection;
  return {
    ...store,
    forgetWritten: () => forgetWritten(state),
    get(name, namespace, object) {
      const found = store.get(name, namespace, object);
      return isOwn(name) ? converted(state, found) : found;
    },
    list(name, namespace) {
      const found = store.list(name, namespace);
      return isOwn(name) ? convertedList(state, found) : found;
    },
    create: (name, object) => (isOwn(name) ? create(state, object) : store.create(name, object)),
    update: (name, namespace, object, change) =>
      isOwn(name) ? update(state, { namespace, name: object }, change) : store.update(name, namespace, object, change),
    remove(name, namespace, object) {
      if (!isOwn(name)) return store.remove(name, namespace, object);
      const last = converted(state, store.get(name, namespace, object));
      return written(state, store.remove(name, namespace, object), last);
    },
    subscribe: (listener) => subscribe(state, listener),
    follow: (listener) => store.follow((event) => listener(convertedEvent(state, event))),
    since(revision) {
      const events = store.since(revision);
      if (events === undefined) return undefined;
      requireUsable(
        state,
        events.flatMap((event) => objectsOf(state, event)),
      );
      return events.map((event) => convertedEvent(state, event));
    },
  };
}

function converted({ conversion }: VersionedState, object: StoredObject | undefined): StoredObject | undefined {
  return object === undefined ? undefined : conversion.fromStored(object);
}

/** Converts a list. Objects that a webhook must convert are reported together, so that it is called once. */
function convertedList(state: VersionedState, objects: readonly StoredObject[]): readonly StoredObject[] {
  requireUsable(state, objects);
  return objects.map(state.conversion.fromStored);
}

function requireUsable(state: VersionedState, objects: readonly StoredObject[]): void {
  const unusable = unusableOf(state, objects);
  if (unusable.length > 0) throw new UnconvertedError(unusable);
}

/** Returns the objects that the webhook must convert. */
function unusableOf({ conversion: { webhook } }: VersionedState, objects: readonly StoredObject[]) {
  return webhook === undefined ? [] : objects.filter((object) => !isUsable(webhook.own, object));
}

function objectsOf({ conversion }: VersionedState, { collection, object, previous }: StoreEvent): StoredObject[] {
  if (collection !== conversion.collection) return [];
  return previous === undefined ? [object] : [object, previous];
}

function convertedEvent(state: VersionedState, event: StoreEvent): StoreEvent {
  const { conversion } = state;
  if (event.collection !== conversion.collection) return event;
  return { ...event, object: conversion.fromStored(event.object), previous: converted(state, event.previous) };
}

function create(state: VersionedState, object: unknown): StoredObject | undefined {
  const { store, conversion } = state;
  return written(state, store.create(conversion.collection, conversion.toStored(object)), object);
}

function update(
  state: VersionedState,
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
  change: (current: StoredObject) => unknown,
): StoredObject | undefined {
  const { store, conversion } = state;
  let next: unknown;
  const updated = store.update(conversion.collection, namespace, name, (current) => {
    next = change(conversion.fromStored(current));
    return conversion.toStored(next, current);
  });
  return written(state, updated, next);
}

/** Returns a written object as its writer sees it, without a conversion back: the write cannot be undone if that fails. */
function written(state: VersionedState, stored: StoredObject | undefined, shown: unknown): StoredObject | undefined {
  if (stored === undefined) return undefined;
  const { conversion } = state;
  const own = conversion.webhook?.own;
  if (own !== undefined && !isUsable(own, stored) && isObject(shown)) {
    const result = withMetadataOf(stored, shown);
    own.results.set(stored, result);
    state.written.set(stored, result);
  }
  return conversion.fromStored(stored);
}

function forgetWritten({ conversion: { webhook }, written: results }: VersionedState): void {
  for (const [stored, result] of results) {
    // A watch may have had the object converted meanwhile.
    if (webhook?.own.results.get(stored) === result) webhook.own.results.delete(stored);
  }
  results.clear();
}

/** Passes events on in their order, after the objects in them have been converted. */
function subscribe(state: VersionedState, listener: (event: StoreEvent) => void): () => void {
  const { store, conversion, convert } = state;
  if (conversion.webhook === undefined) return store.subscribe((event) => listener(convertedEvent(state, event)));
  let isSubscribed = true;
  let waiting = 0;
  let last = Promise.resolve();
  const unsubscribe = store.subscribe((event) => {
    if (waiting === 0 && unusableOf(state, objectsOf(state, event)).length === 0) {
      listener(convertedEvent(state, event));
      return;
    }
    waiting += 1;
    last = last.then(() => deliver(event));
  });
  async function deliver(event: StoreEvent): Promise<void> {
    for (;;) {
      const unusable = isSubscribed ? unusableOf(state, objectsOf(state, event)) : [];
      if (unusable.length === 0) break;
      await convert(unusable, () => isSubscribed);
    }
    waiting -= 1;
    if (isSubscribed) listener(convertedEvent(state, event));
  }
  return () => {
    isSubscribed = false;
    unsubscribe();
  };
}
