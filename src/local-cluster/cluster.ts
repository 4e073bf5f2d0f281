import type { Host } from "../host/host.ts";
import { steppedClock } from "./chaos/stepped-clock.ts";
import type { ClusterOptions } from "./cluster-options.ts";
import type { EmbeddedCluster } from "./embedded-cluster.ts";
import { prepareIsolation } from "./pods/isolation.ts";
import { type StopPart, stopParts } from "./stop-parts.ts";

/**
 * Starts an embedded cluster in this process: store, API, controllers and, unless `apiOnly` is set, a node that runs pods.
 *
 * Listens on a loopback address only. Writes the kubeconfig to `<directory>/kubeconfig`, readable only by its owner.
 */
export async function startCluster(host: Host, options: ClusterOptions): Promise<EmbeddedCluster> {
  host.files.makeDirectory(options.directory, { mode: 0o700 });
  host.files.changeMode(options.directory, 0o700);
  const parts: StopPart[] = [];
  try {
    const clock = steppedClock(host.clock);
    const ownHost = { ...host, clock: clock.clock };
    const isolation = options.apiOnly ? undefined : prepareIsolation({ host: ownHost, ...options });
    parts.push(() => isolation?.stop());
    // Loading the other parts takes as long as the preparation.
    const { assemble } = await import("./assemble.ts");
    return await assemble({ host: ownHost, clock, options, isolation, parts });
  } catch (error) {
    // The error of the start explains more than errors of stopping.
    await stopParts(parts).catch(() => {});
    throw error;
  }
}
