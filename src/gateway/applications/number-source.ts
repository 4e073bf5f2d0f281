import type { RecordStore } from "../records/record-store.ts";

/** IDs that are reserved together: a restart loses the rest of them. */
const reservedIds = 100;

/** Returns a function that returns the next integer of a gateway; concurrent calls get different ones. @throws what the store throws */
export function numberSource({ reserveIds }: Pick<RecordStore, "reserveIds">): () => Promise<number> {
  let [next, end] = [0, 0];
  let reserving: Promise<void> | undefined;
  const reserve = async () => {
    try {
      next = await reserveIds(reservedIds);
      end = next + reservedIds;
    } finally {
      reserving = undefined;
    }
  };
  return async () => {
    while (next >= end) {
      reserving ??= reserve();
      await reserving;
    }
    next += 1;
    return next - 1;
  };
}
