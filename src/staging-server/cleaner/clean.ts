import { messageOf } from "../../errors/submit-error.ts";
import { forEachConcurrent } from "../../net/for-each-concurrent.ts";
import type { NamespaceView } from "../context/owners.ts";
import type { ServerScope } from "../context/scope.ts";
import type { BundleRecord } from "../store/bundle-record.ts";
import { ignoreFull } from "../store/is-full.ts";
import { hashOf, hexOf } from "../store/layout.ts";
import { removeBundle } from "../store/remove-bundle.ts";
import { evaluateBundle, type RetentionDecision } from "./evaluate-bundle.ts";

/** Retention time of bundle IDs, idempotency keys and partial files. */
const traceRetentionMs = 24 * 3600_000;
const maxConcurrentNamespaces = 8;
const maxConcurrentBundles = 8;

/** Runs one cleanup: removes the bundles, contents and uploads that no owner needs. */
export async function cleanOnce(scope: ServerScope): Promise<void> {
  const { store, host, options, metrics, health, log } = scope;
  const started = host.clock.monotonic();
  // Contents of bundles that are created during this run are newer than this.
  const oldMs = host.clock.now() - options.times.graceMs;
  const groups = await groupByNamespace(scope);
  const unknown = new Map<string, string>();
  const referenced = new Map<string, Set<string>>();
  await forEachConcurrent([...groups.values()], maxConcurrentNamespaces, async (bundles) => {
    const namespace = bundles[0]?.owner.namespace ?? "";
    const view = await options.owners.fetchView(namespace, commonSelector(bundles));
    if (view.kind === "unknown") unknown.set(namespace, view.reason);
    await forEachConcurrent(bundles, maxConcurrentBundles, (bundle) => cleanBundle(scope, bundle, view));
    // Contents of bundles that this run has removed stay for at least one more, because another server may be sending them.
    referenced.set(hashOf(namespace), new Set(bundles.flatMap(digestsOf)));
  });
  for (const [namespace, reason] of unknown) {
    log("WARN", "The owners of bundles are unknown, so the bundles are kept.", { namespace, reason });
  }
  health.unknownOwners = unknown;
  const uploads = await store.uploads.sweep(options.times.uploadIdleMs);
  const blobs = await store.blobs.sweep(referenced, oldMs);
  await store.sweepTraces(traceRetentionMs);
  metrics.sweptBlobs(blobs.count, blobs.bytes);
  if (uploads + blobs.count > 0) log("INFO", "The cleaner removed contents.", { uploads, ...blobs });
  const count = [...groups.values()].reduce((sum, bundles) => sum + bundles.length, 0);
  metrics.recordRun((host.clock.monotonic() - started) / 1000, count);
}

async function groupByNamespace({ store }: ServerScope): Promise<ReadonlyMap<string, readonly BundleRecord[]>> {
  const groups = new Map<string, BundleRecord[]>();
  for await (const bundle of store.bundles.all()) {
    const { namespace } = bundle.owner;
    const group = groups.get(namespace) ?? [];
    group.push(bundle);
    groups.set(namespace, group);
  }
  return groups;
}

const driverLabel = ["spark-role", "driver"] as const;

/** Returns a label selector for drivers if all owners are drivers. Otherwise all pods are listed. */
function commonSelector(bundles: readonly BundleRecord[]): string | undefined {
  const [name, value] = driverLabel;
  return bundles.every(({ owner }) => owner.labels[name] === value) ? `${name}=${value}` : undefined;
}

async function cleanBundle(scope: ServerScope, bundle: BundleRecord, view: NamespaceView): Promise<void> {
  const { store, changes, host, options, metrics, log } = scope;
  const context = { nowMs: host.clock.now(), times: options.times };
  const decision = evaluateBundle(changes.apply(bundle), view, context);
  if (decision.kind === "keep") {
    if (hasChanged(bundle, decision, options.times.leaseMs)) await storeDecision(scope, bundle, decision);
    return;
  }
  changes.forget(bundle.bundleId);
  if (!(await removeBundle(store, bundle))) return;
  metrics.removedBundle(decision.reason);
  const { bundleId, owner } = bundle;
  const about = { bundle: bundleId, namespace: owner.namespace, reason: decision.reason };
  log("INFO", "The cleaner removed a bundle.", about);
}

/** Stores a decision. If the store is full, the run continues, because only its removals free space. */
async function storeDecision(scope: ServerScope, bundle: BundleRecord, decision: Kept): Promise<void> {
  const { changes, metrics, limitedLog } = scope;
  try {
    await changes.change(bundle, "decision", (now) => applyDecision(now, bundle, decision));
  } catch (error) {
    ignoreFull(error);
    metrics.unwrittenChange();
    const text = "The store is full, so the server keeps a bundle's times in memory.";
    limitedLog("WARN", text, { bundle: bundle.bundleId, reason: messageOf(error) });
  }
}

type Kept = Extract<RetentionDecision, { kind: "keep" }>;

/** Returns whether a record must be written. Ignores small extensions of a lease, to avoid thousands of writes per run. */
function hasChanged(bundle: BundleRecord, { history, leaseUntilMs }: Kept, leaseMs: number): boolean {
  const extensionMs = leaseUntilMs - bundle.leaseUntilMs;
  return extensionMs < 0 || extensionMs > leaseMs / 6 || JSON.stringify(history) !== JSON.stringify(bundle.history);
}

/** Merges a decision into the current record, which may have a newer download time or lease. */
function applyDecision(now: BundleRecord, seen: BundleRecord, { history, leaseUntilMs }: Kept): BundleRecord {
  const { usedAtMs } = now.history;
  const isRenewed = now.leaseUntilMs !== seen.leaseUntilMs;
  return {
    ...now,
    leaseUntilMs: isRenewed ? Math.max(now.leaseUntilMs, leaseUntilMs) : leaseUntilMs,
    history: { ...history, ...(usedAtMs === undefined ? {} : { usedAtMs }) },
  };
}

function digestsOf({ entries }: BundleRecord): readonly string[] {
  return entries.map(({ digest }) => hexOf(digest));
}
