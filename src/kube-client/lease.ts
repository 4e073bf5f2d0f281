import type { Clock } from "../host/host.ts";
import type { ResourceType } from "../kube/resources.ts";
import type { KubeResource } from "../kube/types.ts";
import type { KubeClient } from "./client.ts";
import { findObject } from "./find-object.ts";

/** Name of a Lease by which processes elect one of them. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** A process that competes for a Lease. */
export interface LeaseCandidate extends LeaseName {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** Unique name of the process. */
  readonly holder: string;
  /** Time without a renewal after which another process can acquire the lease. */
  readonly durationMs: number;
}

/** Calls of one process to a Lease. Each throws SubmitError: `SUBMIT_ERR_KUBE_CONFLICT` if another process was faster, and others. */
export interface LeaseCalls {
  /** Acquires or renews the lease. Returns the other process that holds it; `undefined` if this process holds it now. */
  readonly acquire: (signal?: AbortSignal) => Promise<string | undefined>;
  /** Renews the lease. Returns `false` if this process does not hold it. */
  readonly renew: (signal?: AbortSignal) => Promise<boolean>;
  /** Lets another process acquire the lease at once, if this process holds it. */
  readonly release: (signal?: AbortSignal) => Promise<void>;
}

/** Not in `resourceTypes`, which every submission loads. */
const type: ResourceType = {
  ...{ group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases", namespaced: true },
};

/** `Lease` of `coordination.k8s.io/v1`. */
interface Lease extends KubeResource {
  readonly spec?: LeaseSpec;
}
interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number;
  readonly renewTime?: string;
  readonly acquireTime?: string;
  readonly leaseTransitions?: number;
}

/**
 * Returns the calls to a lease. It expires for a process that has not seen a renewal for the duration in the lease, by its own
 * clock: the times in the lease are of other clocks, which may differ.
 *
 * Source: client-go, tools/leaderelection.
 */
export function leaseCalls(candidate: LeaseCandidate): LeaseCalls {
  const { client, clock, namespace, name, holder, durationMs } = candidate;
  const leaseDurationSeconds = Math.ceil(durationMs / 1000);
  let observed = { version: "", atMs: clock.monotonic() };

  const find = (signal: AbortSignal | undefined) =>
    findObject<Lease>(client, { type, namespace, name, ...(signal !== undefined && { signal }) });

  /** With the resource version, the API server rejects all but one of several concurrent processes. */
  async function change({ metadata }: Lease, spec: LeaseSpec): Promise<void> {
    const patch = { metadata: { resourceVersion: metadata.resourceVersion }, spec };
    await client.patch({ type, namespace, name, patch });
  }

  function hasExpired({ metadata, spec }: Lease): boolean {
    const { resourceVersion: version = "" } = metadata;
    if (version !== observed.version) observed = { version, atMs: clock.monotonic() };
    return clock.monotonic() - observed.atMs >= (spec?.leaseDurationSeconds ?? leaseDurationSeconds) * 1000;
  }

  return {
    async acquire(signal) {
      const lease = await find(signal);
      const now = microTime(clock);
      const held: LeaseSpec = { holderIdentity: holder, leaseDurationSeconds, renewTime: now };
      if (lease === undefined) {
        const spec: LeaseSpec = { ...held, acquireTime: now, leaseTransitions: 0 };
        const metadata = { name, namespace };
        const object: Lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
        await client.create({ type, namespace, object });
        return undefined;
      }
      const isExpired = hasExpired(lease);
      const { holderIdentity, leaseTransitions = 0 } = lease.spec ?? {};
      if (holderIdentity === holder) {
        await change(lease, held);
        return undefined;
      }
      if (holderIdentity && !isExpired) return holderIdentity;
      await change(lease, { ...held, acquireTime: now, leaseTransitions: leaseTransitions + 1 });
      return undefined;
    },
    async renew(signal) {
      const lease = await find(signal);
      if (lease?.spec?.holderIdentity !== holder) return false;
      await change(lease, { renewTime: microTime(clock) });
      return true;
    },
    async release(signal) {
      const lease = await find(signal);
      if (lease?.spec?.holderIdentity === holder) await change(lease, { holderIdentity: "" });
    },
  };
}

/** Returns the time with microseconds, as a Lease requires. */
function microTime(clock: Pick<Clock, "now">): string {
  return new Date(clock.now()).toISOString().replace("Z", "000Z");
}
