export { type EmbeddedCluster, startCluster } from "./cluster.ts";
export type { ClusterOptions } from "./cluster-options.ts";
