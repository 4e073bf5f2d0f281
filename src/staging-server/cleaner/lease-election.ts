import { messageOf } from "../../errors/submit-error.ts";
import type { Clock, Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { ResourceType } from "../../kube/resources.ts";
import { statusOf } from "../../kube/status.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { isFields } from "../../values/fields.ts";
import type { Leader } from "../context/leader.ts";

/** Leadership without an election, for the only server of a store. */
export const onlyServer: Leader = { isLeader: () => true, stop: async () => {} };

/** Name of the Kubernetes Lease by which servers elect their leader. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

const type: ResourceType = {
  ...{ group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases" },
  namespaced: true,
};

/** A Lease, and the time without a renewal after which another server acquires it. */
interface ElectionLease extends LeaseName {
  readonly durationMs: number;
}

/** State of one server in an election. All times are of the monotonic clock of this server. */
interface ElectionState {
  readonly clock: Clock;
  readonly client: KubeClient;
  readonly lease: ElectionLease;
  readonly renewIntervalMs: number;
  readonly log: ServerLog;
  /** Holder identity of this server. */
  readonly identity: string;
  /** Time until which this server is the leader. */
  heldUntilMs: number;
  /** Last version of the lease that this server has seen, and when it first saw that version. */
  observed?: { readonly version: string; readonly atMs: number };
  /** Whether the last attempt failed; further failures are not logged. */
  hasFailed: boolean;
}

/**
 * Starts to compete for a Lease. Acquires it if it is free or its holder has not renewed it for its duration, and renews it three times in that time.
 * A server that cannot renew stops being the leader before another server can acquire the lease.
 */
export function leaderByLease(
  { clock, random }: Pick<Host, "clock" | "random">,
  client: KubeClient,
  lease: ElectionLease,
  log: ServerLog,
): Leader {
  const identity = `firesteel-${random.uuid()}`;
  const state: ElectionState = {
    ...{ clock, client, lease, log, identity, renewIntervalMs: lease.durationMs / 3 },
    ...{ heldUntilMs: Number.NEGATIVE_INFINITY, hasFailed: false },
  };
  const ending = new AbortController();
  const running = renewUntilAborted(state, ending.signal);
  return {
    isLeader: () => isLeader(state),
    async stop() {
      ending.abort();
      await running;
      await releaseLease(state);
    },
  };
}

async function renewUntilAborted(state: ElectionState, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await attempt(state);
    await state.clock.sleep(state.renewIntervalMs, { signal, background: true });
  }
}

function isLeader({ clock, heldUntilMs }: ElectionState): boolean {
  return clock.monotonic() < heldUntilMs;
}

async function attempt(state: ElectionState): Promise<void> {
  const startedMs = state.clock.monotonic();
  try {
    const found = await findLease(state);
    if (found !== undefined) observe(state, found);
    if (found === undefined) await createLease(state);
    else if (!canAcquire(state, found)) return onHeldByOther(state);
    else await acquireLease(state, found);
    onAcquired(state, startedMs);
  } catch (error) {
    onFailed(state, error);
  }
}

function onAcquired(state: ElectionState, startedMs: number): void {
  const { clock, log, identity } = state;
  if (clock.monotonic() > state.heldUntilMs) {
    log("INFO", "This server now cleans the store.", { us: identity });
  }
  // End the leadership before the lease expires for the other servers.
  state.heldUntilMs = startedMs + state.lease.durationMs - state.renewIntervalMs / 2;
  state.hasFailed = false;
}

function onHeldByOther(state: ElectionState): void {
  state.heldUntilMs = Number.NEGATIVE_INFINITY;
  state.hasFailed = false;
}

function onFailed(state: ElectionState, error: unknown): void {
  // Another server was faster.
  if (statusOf(error)?.code === 409) return;
  if (!state.hasFailed) {
    const fields = { ...nameOf(state), reason: messageOf(error) };
    state.log("WARN", "The server failed to acquire or renew the lease.", fields);
  }
  state.hasFailed = true;
}

/** Records when this server first saw the current version. The time in the lease is of another clock, which may differ. */
function observe(state: ElectionState, { metadata }: KubeResource): void {
  const version = metadata.resourceVersion ?? "";
  if (state.observed?.version !== version) state.observed = { version, atMs: state.clock.monotonic() };
}

/** Returns whether the lease is free, held by this server, or not renewed for its duration. */
function canAcquire({ clock, identity, observed, lease: { durationMs } }: ElectionState, lease: KubeResource): boolean {
  const holder = isFields(lease["spec"]) ? lease["spec"]["holderIdentity"] : undefined;
  const isFree = holder === undefined || holder === null || holder === "";
  const ageMs = observed === undefined ? 0 : clock.monotonic() - observed.atMs;
  return isFree || holder === identity || ageMs >= durationMs;
}

async function findLease(state: ElectionState): Promise<KubeResource | undefined> {
  try {
    return await state.client.get<KubeResource>({ type, ...nameOf(state) });
  } catch (error) {
    if (statusOf(error)?.code === 404) return undefined;
    throw error;
  }
}

async function createLease(state: ElectionState): Promise<void> {
  const metadata = nameOf(state);
  const object = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata,
    spec: leaseSpec(state),
  };
  await state.client.create<KubeResource>({ type, namespace: metadata.namespace, object });
}

async function acquireLease(state: ElectionState, { metadata }: KubeResource): Promise<void> {
  // With the resource version, the API server rejects all but one of several concurrent servers.
  const patch = { metadata: { resourceVersion: metadata.resourceVersion ?? "" }, spec: leaseSpec(state) };
  await state.client.patch({ type, ...nameOf(state), patch });
}

/** Releases the lease if this server holds it. Ignores failures, because the lease expires anyway. */
async function releaseLease(state: ElectionState): Promise<void> {
  if (!isLeader(state)) return;
  const patch = { spec: { holderIdentity: "" } };
  await state.client.patch({ type, ...nameOf(state), patch }).catch(() => {});
}

function leaseSpec({ clock, identity, lease }: ElectionState) {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(lease.durationMs / 1000),
    renewTime: new Date(clock.now()).toISOString().replace(/Z$/, "000Z"),
  };
}

function nameOf({ lease: { namespace, name } }: ElectionState): LeaseName {
  return { namespace, name };
}
