import type { StoreEvent } from "./store.ts";

/** Listener of a store's events. */
export type StoreListener = (event: StoreEvent) => void;

/** The listeners of a store. */
export interface StoreListeners {
  /** Adds a listener. @returns a function that removes it */
  readonly subscribe: (listener: StoreListener) => () => void;
  /** Notifies all listeners of each event before the next one. */
  readonly notify: (events: readonly StoreEvent[]) => void;
}

/** Creates an empty list of listeners. @param onFailure receives the errors of listeners */
export function createStoreListeners(onFailure: (error: unknown) => void): StoreListeners {
  const listeners = new Set<StoreListener>();
  const pending: StoreEvent[] = [];
  let isNotifying = false;

  function notifyOf(event: StoreEvent): void {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch (error) {
        onFailure(error);
      }
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    // A listener may write. Its event must reach every listener after the current one.
    notify(events) {
      pending.push(...events);
      if (isNotifying) return;
      isNotifying = true;
      try {
        for (let event = pending.shift(); event !== undefined; event = pending.shift()) notifyOf(event);
      } finally {
        isNotifying = false;
      }
    },
  };
}
