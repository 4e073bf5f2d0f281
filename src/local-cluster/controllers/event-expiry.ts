import type { Controller } from "./controller.ts";

/** Events are told for an hour. */
const lifeMs = 60 * 60_000;

const roundMs = 5 * 60_000;

/** Removes events that are old. */
export const startEventExpiry: Controller = ({ store, clock }) => {
  let cancel = () => {};
  const round = () => {
    const oldest = clock.now() - lifeMs;
    for (const event of store.list("events")) {
      const { lastTimestamp } = event;
      const last =
        typeof lastTimestamp === "string" ? lastTimestamp : (event.metadata.creationTimestamp ?? "");
      if (Date.parse(last) < oldest) store.remove("events", event.metadata.namespace, event.metadata.name);
    }
    cancel = clock.after(roundMs, round);
  };
  cancel = clock.after(roundMs, round);
  return () => cancel();
};
