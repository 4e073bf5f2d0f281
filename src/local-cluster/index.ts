export { type ClusterOptions, type EmbeddedCluster, startCluster } from "./cluster.ts";
