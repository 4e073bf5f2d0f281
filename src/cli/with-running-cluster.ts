import type { Host } from "../host/host.ts";
import { withEmbedded } from "./environment.ts";

/**
 * Calls a function that can connect to the embedded cluster in the background. Starts none: a new cluster has no drivers.
 *
 * @throws SUBMIT_ERR_CLUSTER_NOT_FOUND from the connection, if no cluster runs
 */
export function withRunningCluster<T>(host: Host, use: Parameters<typeof withEmbedded<T>>[1]): Promise<T> {
  return withEmbedded<T>(host, use, async (options) => {
    const { openBackground } = await import("./embedded.ts");
    return openBackground(host, options);
  });
}
