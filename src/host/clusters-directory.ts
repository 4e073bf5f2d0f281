import type { Host } from "./host.ts";
import { stateDirectory } from "./state-directory.ts";

/** Returns the directory of the background clusters, which have one directory each. */
export function clustersDirectory(host: Pick<Host, "env" | "cwd" | "user">): string {
  return `${stateDirectory(host)}/clusters`;
}

/** Name of the file in a cluster's directory with its connection data. */
export const clusterRecordFile = "cluster.json";
