import { nearestName } from "../conf/nearest-name.ts";
import type { SparkLineTraits } from "../conf/spark-version.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { nearestMaster } from "./nearest-master.ts";

// Line terminators that `.` does not match in the regular expression of Spark's master URL.
const lineEnds = ["\n", "\r", "\u2028", "\u2029"];

/** Cluster manager that runs the driver and the executors. */
export type ClusterManager = "kubernetes" | "yarn" | "standalone" | "local" | "mesos";

/** Location of the driver: in the cluster, or on this machine. */
export type DeployMode = "client" | "cluster";

/**
 * Finds the cluster manager of a master URL. Without a master, Spark runs locally.
 *
 * Shape: exactly `yarn`, else a prefix: `spark…`, `k8s://…`, `local…`, `mesos…` (3.5).
 * Errors: SUBMIT_ERR_MASTER_UNKNOWN, SUBMIT_ERR_MASTER_PREFIX. Source: Spark SparkSubmit.prepareSubmitEnvironment.
 */
export function managerOf(master: string | undefined, traits: SparkLineTraits): Result<ClusterManager> {
  if (master === undefined || master.startsWith("local")) return success("local");
  if (master === "yarn") return success("yarn");
  if (master.startsWith("spark")) return success("standalone");
  if (master.startsWith("k8s://") && !lineEnds.some((end) => master.includes(end))) return success("kubernetes");
  if (master.startsWith("mesos") && traits.mesos) return success("mesos");
  if (master.startsWith("k8s") && traits.kubernetesMasterByPrefix) {
    return failure("SUBMIT_ERR_MASTER_PREFIX", { nearest: nearestMaster(master) });
  }
  return failure("SUBMIT_ERR_MASTER_UNKNOWN", { mesos: traits.mesos, nearest: nearestMaster(master) });
}

/** Parses a deploy mode; the default is `client`. Errors: SUBMIT_ERR_DEPLOY_MODE_OPTION, SUBMIT_ERR_DEPLOY_MODE. */
export function deployModeOf(
  text: string | undefined,
  { isOption }: { readonly isOption: boolean },
): Result<DeployMode> {
  if (text === undefined || text === "client") return success("client");
  if (text === "cluster") return success("cluster");
  return failure(isOption ? "SUBMIT_ERR_DEPLOY_MODE_OPTION" : "SUBMIT_ERR_DEPLOY_MODE", {
    nearest: nearestName(text, ["client", "cluster"]),
  });
}

/**
 * Strategy that performs a submission: one for each cluster manager in cluster mode, and `jvm` for drivers that run in a
 * JVM on this machine.
 */
export type StrategyName = Exclude<ClusterManager, "local"> | "jvm";

/** Returns the strategy for a cluster manager and a deploy mode. */
export function strategyFor(manager: ClusterManager, mode: DeployMode): StrategyName {
  return mode === "client" || manager === "local" ? "jvm" : manager;
}
