import type { VersionConversion } from "../kinds/custom-format.ts";
import type { Store, StoredObject, StoreEvent } from "../store.ts";

/** Returns a store whose objects of one collection have another version than the stored one. */
export function versionedStore(store: Store, { collection, fromStored, toStored }: VersionConversion): Store {
  const isOwn = (name: string) => name === collection;
  const converted = (object: StoredObject | undefined) => (object === undefined ? undefined : fromStored(object));
  const convertedEvent = (event: StoreEvent): StoreEvent => {
    if (!isOwn(event.collection)) return event;
    return { ...event, object: fromStored(event.object), previous: converted(event.previous) };
  };
  return {
    ...store,
    get(name, namespace, object) {
      const found = store.get(name, namespace, object);
      return isOwn(name) ? converted(found) : found;
    },
    list(name, namespace) {
      const found = store.list(name, namespace);
      return isOwn(name) ? found.map(fromStored) : found;
    },
    create: (name, object) =>
      isOwn(name) ? converted(store.create(name, toStored(object))) : store.create(name, object),
    update(name, namespace, object, change) {
      if (!isOwn(name)) return store.update(name, namespace, object, change);
      return converted(store.update(name, namespace, object, (current) => toStored(change(fromStored(current)))));
    },
    remove(name, namespace, object) {
      const removed = store.remove(name, namespace, object);
      return isOwn(name) ? converted(removed) : removed;
    },
    subscribe: (listener) => store.subscribe((event) => listener(convertedEvent(event))),
    follow: (listener) => store.follow((event) => listener(convertedEvent(event))),
    since: (revision) => store.since(revision)?.map(convertedEvent),
  };
}
