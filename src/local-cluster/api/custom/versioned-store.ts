import { isObject } from "../json.ts";
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
}

/**
 * Returns a store whose objects of one collection have another version than the stored one. Its methods throw UnconvertedError for
 * objects that a webhook must convert first.
 */
export function versionedStore(store: Store, conversion: VersionConversion, convert: ConvertObjects): Store {
  const state: VersionedState = { store, conversion, convert };
  const isOwn = (name: string) => name === conversion.collection;
  return {
    ...store,
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

function requireUsable({ conversion: { webhook } }: VersionedState, objects: readonly StoredObject[]): void {
  if (webhook === undefined) return;
  const unusable = objects.filter((object) => !isUsable(webhook.own, object));
  if (unusable.length > 0) throw new UnconvertedError(unusable);
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

/** Returns a written object as its writer sees it. The webhook that has converted it need not convert it back. */
function written(
  { conversion }: VersionedState,
  stored: StoredObject | undefined,
  shown: unknown,
): StoredObject | undefined {
  if (stored === undefined) return undefined;
  const own = conversion.webhook?.own;
  if (own !== undefined && !isUsable(own, stored) && isObject(shown))
    own.results.set(stored, withMetadataOf(stored, shown));
  return conversion.fromStored(stored);
}

/** Passes events on in their order, after the objects in them have been converted. */
function subscribe(state: VersionedState, listener: (event: StoreEvent) => void): () => void {
  const { store, conversion, convert } = state;
  const { webhook } = conversion;
  if (webhook === undefined) return store.subscribe((event) => listener(convertedEvent(state, event)));
  let isSubscribed = true;
  let waiting = 0;
  let last = Promise.resolve();
  const unsubscribe = store.subscribe((event) => {
    const unusable = objectsOf(state, event).filter((object) => !isUsable(webhook.own, object));
    if (waiting === 0 && unusable.length === 0) {
      listener(convertedEvent(state, event));
      return;
    }
    waiting += 1;
    last = last
      .then(() => (unusable.length === 0 ? undefined : convert(unusable, () => isSubscribed)))
      .then(() => {
        waiting -= 1;
        if (isSubscribed) listener(convertedEvent(state, event));
      });
  });
  return () => {
    isSubscribed = false;
    unsubscribe();
  };
}
