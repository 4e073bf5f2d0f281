import type { Controller } from "./controller.ts";

/** Time after which events are deleted. */
const ttlMs = 60 * 60_000;

const intervalMs = 5 * 60_000;

/** Deletes old events. */
export const startEventExpiry: Controller = ({ store, clock }) => {
  let cancel = () => {};
  const deleteExpired = () => {
    const oldest = clock.now() - ttlMs;
    for (const event of store.list("events")) {
      const { lastTimestamp } = event;
      const last = typeof lastTimestamp === "string" ? lastTimestamp : (event.metadata.creationTimestamp ?? "");
      if (Date.parse(last) < oldest) store.remove("events", event.metadata.namespace, event.metadata.name);
    }
    cancel = clock.after(intervalMs, deleteExpired);
  };
  cancel = clock.after(intervalMs, deleteExpired);
  return () => cancel();
};
