import type { ServerScope } from "../context/scope.ts";
import type { BundleRecord } from "../store/bundle-record.ts";

/** Minimum interval between two writes of one bundle: short enough for leases, and cheap for a thousand downloads. */
const recordIntervalMs = 60_000;

/** Records that a client downloads a bundle. */
export async function markUsed({ host, store }: ServerScope, record: BundleRecord): Promise<void> {
  const now = host.clock.now();
  const { usedAtMs = 0 } = record.history;
  if (usedAtMs > now - recordIntervalMs) return;
  await store.bundles.change(record, (current) => ({
    ...current,
    history: { ...current.history, usedAtMs: now },
  }));
}
