import type { ServerScope } from "../scope.ts";
import type { BundleRecord } from "../store/bundle-record.ts";

/** Often enough for leases of minutes, and nothing where a thousand executors download. */
const noteEveryMs = 60_000;

/** Notes that somebody downloads a bundle. */
export async function markUsed({ host, store }: ServerScope, record: BundleRecord): Promise<void> {
  const now = host.clock.now();
  const { usedAtMs = 0 } = record.history;
  if (usedAtMs > now - noteEveryMs) return;
  await store.bundles.change(record, (current) => ({
    ...current,
    history: { ...current.history, usedAtMs: now },
  }));
}
