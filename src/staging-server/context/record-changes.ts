import type { BundleRecord } from "../store/bundle-record.ts";
import type { Bundles } from "../store/bundles.ts";

type Change = (now: BundleRecord) => BundleRecord;

/** Changes that replace one another: the last download, and the cleaner's last decision. */
type ChangeKind = "use" | "decision";

/** Changes of bundles, in memory until the store has them: a full store must not end a lease or prevent a cleanup. */
export interface RecordChanges {
  /** Returns a stored record with the changes that are not written yet. */
  readonly apply: (stored: BundleRecord) => BundleRecord;
  /** Changes a bundle, also by earlier changes that are not written yet. Rejects with the store's error; the change stays in memory. */
  readonly change: (stored: BundleRecord, kind: ChangeKind, change: Change) => Promise<void>;
  /** Forgets the changes of a removed bundle. */
  readonly forget: (bundleId: string) => void;
}

/** More bundles than one server has in use. The oldest changes are forgotten first. */
const maxBundles = 10_000;

/** Creates the changes of a store, without any. */
export function recordChanges(bundles: Pick<Bundles, "change">): RecordChanges {
  const unwritten = new Map<string, ReadonlyMap<ChangeKind, Change>>();
  const applyAll = (record: BundleRecord, changes: ReadonlyMap<ChangeKind, Change> | undefined) =>
    [...(changes?.values() ?? [])].reduce((now, change) => change(now), record);
  return {
    apply: (stored) => applyAll(stored, unwritten.get(stored.bundleId)),
    async change(stored, kind, change) {
      const { bundleId } = stored;
      const changes = new Map([...(unwritten.get(bundleId) ?? []), [kind, change]]);
      unwritten.delete(bundleId);
      unwritten.set(bundleId, changes);
      for (const oldest of unwritten.keys()) if (unwritten.size > maxBundles) unwritten.delete(oldest);
      await bundles.change(stored, (now) => applyAll(now, changes));
      if (unwritten.get(bundleId) === changes) unwritten.delete(bundleId);
    },
    forget: (bundleId) => void unwritten.delete(bundleId),
  };
}
