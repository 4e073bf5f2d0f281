import { messageOf } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { ResourceType } from "../../kube/resources.ts";
import { statusOf } from "../../kube/status.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { isFields } from "../../values/fields.ts";
import type { Leader } from "../leader.ts";
import type { ServerLog } from "../log.ts";

/** A server that has its store alone. */
export const onlyServer: Leader = { isUs: () => true, stop: async () => {} };

/** The Lease of Kubernetes that servers agree by. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

const type: ResourceType = {
  ...{ group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases" },
  namespaced: true,
};

const durationMs = 30_000;
const renewEveryMs = 10_000;

interface Seen {
  readonly version: string;
  /** By a clock of ours: those of the servers need not agree. */
  readonly atMs: number;
}

/**
 * Takes the lease where it is free or its holder has not renewed it for 30 s, and renews it. A server that cannot renew stops to
 * lead before another one may begin.
 */
export function leaderByLease(
  host: Pick<Host, "clock" | "random">,
  client: KubeClient,
  lease: LeaseName,
  log: ServerLog,
): Leader {
  const { clock } = host;
  const us = `firesteel-${host.random.uuid()}`;
  const { namespace, name } = lease;
  const ending = new AbortController();
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let seen: Seen | undefined;
  let hasFailed = false;
  const spec = () => ({
    holderIdentity: us,
    leaseDurationSeconds: durationMs / 1000,
    renewTime: new Date(clock.now()).toISOString().replace(/Z$/, "000Z"),
  });
  const create = async () => {
    const object = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace, name },
      spec: spec(),
    };
    await client.create<KubeResource>({ type, namespace, object });
    return true;
  };
  const take = async (found: KubeResource) => {
    const version = found.metadata.resourceVersion ?? "";
    const holder = isFields(found["spec"]) ? found["spec"]["holderIdentity"] : undefined;
    if (seen?.version !== version) seen = { version, atMs: clock.monotonic() };
    const isFree = holder === undefined || holder === null || holder === "";
    if (holder !== us && !isFree && clock.monotonic() - seen.atMs < durationMs) return false;
    // With the version: of two that take it at once, one is refused.
    const patch = { metadata: { resourceVersion: version }, spec: spec() };
    await client.patch({ type, namespace, name, patch });
    return true;
  };
  const attempt = async () => {
    const started = clock.monotonic();
    try {
      const found = await client.get<KubeResource>({ type, namespace, name }).catch((error: unknown) => {
        if (statusOf(error)?.code === 404) return undefined;
        throw error;
      });
      const isLeader = found === undefined ? await create() : await take(found);
      if (isLeader && clock.monotonic() > heldUntilMs)
        log("INFO", "This server cleans the store now.", { us });
      heldUntilMs = isLeader ? started + durationMs - renewEveryMs / 2 : Number.NEGATIVE_INFINITY;
      hasFailed = false;
    } catch (error) {
      if (statusOf(error)?.code === 409) return;
      if (!hasFailed) log("WARN", "The lease cannot be had.", { ...lease, reason: messageOf(error) });
      hasFailed = true;
    }
  };
  const running = (async () => {
    while (!ending.signal.aborted) {
      await attempt();
      await clock.sleep(renewEveryMs, { signal: ending.signal, background: true });
    }
  })();
  const isUs = () => clock.monotonic() < heldUntilMs;
  return {
    isUs,
    async stop() {
      ending.abort();
      await running;
      if (!isUs()) return;
      const patch = { spec: { holderIdentity: "" } };
      await client.patch({ type, namespace, name, patch }).catch(() => {});
    },
  };
}
