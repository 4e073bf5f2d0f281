import { messageOf } from "../../errors/submit-error.ts";
import type { ServerScope } from "../context/scope.ts";
import type { BundleRecord } from "../store/bundle-record.ts";

/** Minimum interval between two writes of one bundle: short enough for leases, and cheap for a thousand downloads. */
const recordIntervalMs = 60_000;

/** Records that a client downloads a bundle. The download does not wait for the store, which can be full or slow. */
export function markUsed({ host, changes, metrics, limitedLog }: ServerScope, stored: BundleRecord): void {
  const usedAtMs = host.clock.now();
  const last = changes.apply(stored).history.usedAtMs ?? 0;
  if (last > usedAtMs - recordIntervalMs) return;
  const change = (now: BundleRecord) => ({ ...now, history: { ...now.history, usedAtMs } });
  changes.change(stored, "use", change).catch((error: unknown) => {
    metrics.unwrittenChange();
    const text = "The store did not take the time of a download; the server keeps it in memory.";
    limitedLog("WARN", text, { bundle: stored.bundleId, reason: messageOf(error) });
  });
}
