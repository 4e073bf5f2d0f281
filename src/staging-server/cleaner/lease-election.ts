import { messageOf } from "../../errors/submit-error.ts";
import type { Clock, Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { statusOf } from "../../kube/status.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { type LeaseCalls, type LeaseName, leaseCalls } from "../../kube-client/lease.ts";
import type { Leader } from "../context/leader.ts";

/** Leadership without an election, for the only server of a store. */
export const onlyServer: Leader = { isLeader: () => true, stop: async () => {} };

/** A Lease, and the time without a renewal after which another server acquires it. */
interface ElectionLease extends LeaseName {
  readonly durationMs: number;
}

/** State of one server in an election. All times are of the monotonic clock of this server. */
interface ElectionState {
  readonly clock: Clock;
  readonly calls: LeaseCalls;
  readonly lease: ElectionLease;
  readonly renewIntervalMs: number;
  readonly log: ServerLog;
  /** Holder identity of this server. */
  readonly identity: string;
  /** Time until which this server is the leader. */
  heldUntilMs: number;
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
    ...{ clock, lease, log, identity, renewIntervalMs: lease.durationMs / 3 },
    calls: leaseCalls({ ...lease, client, clock, holder: identity }),
    ...{ heldUntilMs: Number.NEGATIVE_INFINITY, hasFailed: false },
  };
  const ending = new AbortController();
  const running = renewUntilAborted(state, ending.signal);
  return {
    isLeader: () => isLeader(state),
    async stop() {
      ending.abort();
      await running;
      // The lease expires anyway.
      if (isLeader(state)) await state.calls.release().catch(() => {});
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
    if ((await state.calls.acquire()) === undefined) onAcquired(state, startedMs);
    else onHeldByOther(state);
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
    const { namespace, name } = state.lease;
    const fields = { namespace, name, reason: messageOf(error) };
    state.log("WARN", "The server failed to acquire or renew the lease.", fields);
  }
  state.hasFailed = true;
}
