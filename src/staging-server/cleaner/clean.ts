import type { ServerScope } from "../scope.ts";
import type { BundleRecord } from "../store/bundle-record.ts";
import { hashOf, hexOf } from "../store/layout.ts";
import { type Judgement, judgeBundle } from "./judge-bundle.ts";
import type { NamespaceView } from "./owners.ts";

/** What ids of bundles, idempotency keys and half-written files are remembered for. */
const traceMs = 24 * 3600_000;
const namespacesAtOnce = 8;

/** Looks once at everything that is stored, and removes what nobody needs any more. */
export async function cleanOnce(scope: ServerScope): Promise<void> {
  const { store, host, options, metrics, health, log } = scope;
  const begun = host.clock.monotonic();
  const groups = await groupsOf(scope);
  const unknown = new Map<string, string>();
  await eachOf([...groups.values()], namespacesAtOnce, async (bundles) => {
    const namespace = bundles[0]?.owner.namespace ?? "";
    const view = await options.owners.look(namespace, commonSelector(bundles));
    if (view.kind === "unknown") unknown.set(namespace, view.reason);
    for (const bundle of bundles) judge(scope, bundle, view);
  });
  for (const [namespace, reason] of unknown) {
    log("WARN", "The owners of bundles are not known, so these stay.", { namespace, reason });
  }
  health.unknownOwners = unknown;
  const uploads = store.uploads.sweep(options.times.uploadIdleMs);
  const blobs = store.blobs.sweep(await namedBlobs(scope), options.times.graceMs);
  store.sweepTraces(traceMs);
  metrics.sweptBlobs(blobs.count, blobs.bytes);
  if (uploads + blobs.count > 0) log("INFO", "Contents were removed.", { uploads, ...blobs });
  const count = [...groups.values()].reduce((sum, bundles) => sum + bundles.length, 0);
  metrics.cleaned((host.clock.monotonic() - begun) / 1000, count, unknown.size);
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

function judge(
  { store, host, options, metrics, log }: ServerScope,
  bundle: BundleRecord,
  view: NamespaceView,
) {
  const context = { nowMs: host.clock.now(), times: options.times };
  const judgement = judgeBundle(bundle, view, context);
  if (judgement.kind === "keep") {
    if (isNews(bundle, judgement, options.times.leaseMs)) {
      store.bundles.change(bundle, (now) => note(now, bundle, judgement));
    }
    return;
  }
  if (!store.bundles.remove(bundle)) return;
  metrics.removedBundle(judgement.reason);
  const { bundleId, owner } = bundle;
  const about = { bundle: bundleId, namespace: owner.namespace, reason: judgement.reason };
  log("INFO", "A bundle was removed.", about);
}

type Kept = Extract<Judgement, { kind: "keep" }>;

/** A lease that is a little longer is no reason to write ten thousand files every half a minute. */
function isNews(bundle: BundleRecord, { history, leaseUntilMs }: Kept, leaseMs: number): boolean {
  const moved = leaseUntilMs - bundle.leaseUntilMs;
  return moved < 0 || moved > leaseMs / 6 || JSON.stringify(history) !== JSON.stringify(bundle.history);
}

/** What others have noted meanwhile, a download or a longer lease, stays. */
function note(now: BundleRecord, seen: BundleRecord, { history, leaseUntilMs }: Kept): BundleRecord {
  const { usedAtMs } = now.history;
  const isRenewed = now.leaseUntilMs !== seen.leaseUntilMs;
  return {
    ...now,
    leaseUntilMs: isRenewed ? Math.max(now.leaseUntilMs, leaseUntilMs) : leaseUntilMs,
    history: { ...history, ...(usedAtMs === undefined ? {} : { usedAtMs }) },
  };
}

/** By the folder that a namespace has for its contents. */
async function namedBlobs({ store }: ServerScope): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const named = new Map<string, Set<string>>();
  for await (const { owner, entries } of store.bundles.all()) {
    const folder = hashOf(owner.namespace);
    const digests = named.get(folder) ?? new Set();
    for (const { digest } of entries) digests.add(hexOf(digest));
    named.set(folder, digests);
  }
  return named;
}

async function eachOf<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
