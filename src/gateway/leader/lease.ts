import { hasCode, messageOf } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { ResourceType } from "../../kube/resources.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";

interface LeaseCall {
  /** Client without retries. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: ServerLog;
  readonly namespace: string;
  readonly name: string;
  /** Unique name of this process. */
  readonly holder: string;
  /** Stops waiting for the lease, or releases it. */
  readonly signal: AbortSignal;
}

/** The leadership of one process among those with the same lease. */
export interface Leadership {
  /** Resolves when the lease was not renewed in time: another process can lead from now on. Never resolves after a release. */
  readonly lost: Promise<void>;
  /** Lets another process lead at once. */
  readonly release: () => Promise<void>;
}

/** Not in `resourceTypes`, which every submission loads. */
const leaseType: ResourceType = {
  ...{ group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases", namespaced: true },
};

/** Times of client-go's leader election. */
const times = { leaseSeconds: 15, renewDeadlineMs: 10_000, retryMs: 2000 };

interface LeaseObject extends KubeResource {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
    readonly acquireTime?: string;
    readonly leaseTransitions?: number;
  };
}

/**
 * Waits until this process holds a Lease, and renews it from then on. A lease expires for the others when they have not seen a
 * renewal for its duration, by their own clocks.
 *
 * Source: client-go, tools/leaderelection.
 *
 * @param onWaiting called with the present holder, when it changes
 * @returns `undefined` if the signal aborted before
 */
export async function acquireLease(
  call: LeaseCall,
  onWaiting: (holder: string) => void,
): Promise<Leadership | undefined> {
  const { clock, signal, log } = call;
  let seen = { version: "", atMs: clock.monotonic(), holder: "" };
  while (!signal.aborted) {
    try {
      const lease = await find(call);
      const { resourceVersion: version = "" } = lease?.metadata ?? {};
      const { holderIdentity: holder = "", leaseDurationSeconds = times.leaseSeconds } = lease?.spec ?? {};
      if (version !== seen.version) seen = { ...seen, version, atMs: clock.monotonic() };
      const hasExpired = clock.monotonic() - seen.atMs >= leaseDurationSeconds * 1000;
      if (holder === "" || holder === call.holder || hasExpired) {
        await take(call, lease);
        return lead(call);
      }
      if (holder !== seen.holder) onWaiting(holder);
      seen = { ...seen, holder };
    } catch (error) {
      // Another process was faster.
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT"))
        log("WARN", "The lease of the gateway cannot be read or taken.", { reason: messageOf(error) });
    }
    await clock.sleep(times.retryMs, { signal });
  }
  return undefined;
}

async function find({ client, namespace, name, signal }: LeaseCall): Promise<LeaseObject | undefined> {
  try {
    return await client.get<LeaseObject>({ type: leaseType, namespace, name, signal });
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

async function take(
  { client, clock, namespace, name, holder }: LeaseCall,
  before: LeaseObject | undefined,
): Promise<void> {
  const type = leaseType;
  const now = microTime(clock);
  const spec = { holderIdentity: holder, leaseDurationSeconds: times.leaseSeconds, acquireTime: now, renewTime: now };
  if (before === undefined) {
    const object: LeaseObject = {
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace } },
      spec: { ...spec, leaseTransitions: 0 },
    };
    await client.create({ type, namespace, object });
    return;
  }
  const { resourceVersion } = before.metadata;
  const leaseTransitions = (before.spec?.leaseTransitions ?? 0) + 1;
  const patch = { metadata: { resourceVersion }, spec: { ...spec, leaseTransitions } };
  await client.patch({ type, namespace, name, patch });
}

function lead(call: LeaseCall): Leadership {
  const { client, clock, log, namespace, name } = call;
  const type = leaseType;
  const released = new AbortController();
  let renewedMs = clock.monotonic();
  const renew = async () => {
    while (!released.signal.aborted) {
      await clock.sleep(times.retryMs, { signal: released.signal });
      if (released.signal.aborted) return new Promise<void>(() => {});
      try {
        const lease = await find(call);
        if (lease?.spec?.holderIdentity !== call.holder) return;
        const { resourceVersion } = lease.metadata;
        const patch = { metadata: { resourceVersion }, spec: { ...lease.spec, renewTime: microTime(clock) } };
        await client.patch({ type, namespace, name, patch });
        renewedMs = clock.monotonic();
      } catch (error) {
        log("WARN", "The lease of the gateway cannot be renewed.", { reason: messageOf(error) });
      }
      if (clock.monotonic() - renewedMs >= times.renewDeadlineMs) return;
    }
    return new Promise<void>(() => {});
  };
  return {
    lost: renew(),
    async release() {
      released.abort();
      const lease = await find({ ...call, signal: AbortSignal.timeout(times.retryMs) });
      if (lease?.spec?.holderIdentity !== call.holder) return;
      const { resourceVersion } = lease.metadata;
      const patch = { metadata: { resourceVersion }, spec: { ...lease.spec, holderIdentity: "" } };
      await client.patch({ type, namespace, name, patch });
    },
  };
}

/** Time with microseconds, as a Lease requires. */
function microTime(clock: Pick<Clock, "now">): string {
  return new Date(clock.now()).toISOString().replace("Z", "000Z");
}
