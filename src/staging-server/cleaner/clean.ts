import { forEachConcurrent } from "../for-each-concurrent.ts";
import type { NamespaceView } from "../owners.ts";
import type { ServerScope } from "../scope.ts";
import type { BundleRecord } from "../store/bundle-record.ts";
import { hashOf, hexOf } from "../store/layout.ts";
import { removeBundle } from "../store/remove-bundle.ts";
import { evaluateBundle, type RetentionDecision } from "./evaluate-bundle.ts";

/** Retention time of bundle IDs, idempotency keys and partial files. */
const traceMs = 24 * 3600_000;
const maxConcurrentNamespaces = 8;
const maxConcurrentBundles = 8;

/** Looks once at everything that is stored, and removes what nobody needs any more. */
export async function cleanOnce(scope: ServerScope): Promise<void> {
  const { store, host, options, metrics, health, log } = scope;
  const started = host.clock.monotonic();
  // What is needed from now on, by bundles that are not seen any more, is young.
  const oldMs = host.clock.now() - options.times.graceMs;
  const groups = await groupsOf(scope);
  const unknown = new Map<string, string>();
  const named = new Map<string, Set<string>>();
  await forEachConcurrent([...groups.values()], maxConcurrentNamespaces, async (bundles) => {
    const namespace = bundles[0]?.owner.namespace ?? "";
    const view = await options.owners.look(namespace, commonSelector(bundles));
    if (view.kind === "unknown") unknown.set(namespace, view.reason);
    const kept: BundleRecord[] = [];
    await forEachConcurrent(bundles, maxConcurrentBundles, async (bundle) => {
      if (await isKept(scope, bundle, view)) kept.push(bundle);
    });
    named.set(hashOf(namespace), new Set(kept.flatMap(digestsOf)));
  });
  for (const [namespace, reason] of unknown) {
    log("WARN", "The owners of bundles are not known, so these stay.", { namespace, reason });
  }
  health.unknownOwners = unknown;
  const uploads = await store.uploads.sweep(options.times.uploadIdleMs);
  const blobs = await store.blobs.sweep(named, oldMs);
  await store.sweepTraces(traceMs);
  metrics.sweptBlobs(blobs.count, blobs.bytes);
  if (uploads + blobs.count > 0) log("INFO", "Contents were removed.", { uploads, ...blobs });
  const count = [...groups.values()].reduce((sum, bundles) => sum + bundles.length, 0);
  metrics.cleaned((host.clock.monotonic() - started) / 1000, count, unknown.size);
}

async function groupsOf({ store }: ServerScope): Promise<ReadonlyMap<string, readonly BundleRecord[]>> {
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

/** Drivers only, where all owners are drivers; else all pods, and the labels are compared here. */
function commonSelector(bundles: readonly BundleRecord[]): string | undefined {
  const [name, value] = driverLabel;
  return bundles.every(({ owner }) => owner.labels[name] === value) ? `${name}=${value}` : undefined;
}

async function isKept(
  { store, host, options, metrics, log }: ServerScope,
  bundle: BundleRecord,
  view: NamespaceView,
): Promise<boolean> {
  const context = { nowMs: host.clock.now(), times: options.times };
  const decision = evaluateBundle(bundle, view, context);
  if (decision.kind === "keep") {
    if (hasChanged(bundle, decision, options.times.leaseMs)) {
      await store.bundles.change(bundle, (now) => note(now, bundle, decision));
    }
    return true;
  }
  if (!(await removeBundle(store, bundle))) return false;
  metrics.removedBundle(decision.reason);
  const { bundleId, owner } = bundle;
  const about = { bundle: bundleId, namespace: owner.namespace, reason: decision.reason };
  log("INFO", "A bundle was removed.", about);
  return false;
}

type Kept = Extract<RetentionDecision, { kind: "keep" }>;

/** A lease that is a little longer is no reason to write ten thousand files every half a minute. */
function hasChanged(bundle: BundleRecord, { history, leaseUntilMs }: Kept, leaseMs: number): boolean {
  const moved = leaseUntilMs - bundle.leaseUntilMs;
  return moved < 0 || moved > leaseMs / 6 || JSON.stringify(history) !== JSON.stringify(bundle.history);
}

/** Keeps concurrent updates of the record, such as a download or a longer lease. */
function note(now: BundleRecord, seen: BundleRecord, { history, leaseUntilMs }: Kept): BundleRecord {
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
