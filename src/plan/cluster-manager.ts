import type { SparkLineTraits } from "../conf/spark-version.ts";
import { failure, type Result, success } from "../errors/issue.ts";

// As a dot of a regular expression takes them.
const lineEnds = ["\n", "\r", "\u2028", "\u2029"];

/** Who runs the driver and the executors. */
export type ClusterManager = "kubernetes" | "yarn" | "standalone" | "local" | "mesos";

/** Where the driver runs: in the cluster, or here. */
export type DeployMode = "client" | "cluster";

/**
 * The cluster manager that a master URL stands for; no master is the local one.
 *
 * Shape: `yarn` whole, else by beginning: `spark…`, `k8s://…`, `local…`, `mesos…` (3.5).
 * Errors: SUBMIT_ERR_MASTER_UNKNOWN, SUBMIT_ERR_MASTER_PREFIX. Source: Spark SparkSubmit.prepareSubmitEnvironment.
 */
export function managerOf(master: string | undefined, traits: SparkLineTraits): Result<ClusterManager> {
  if (master === undefined || master.startsWith("local")) return success("local");
  if (master === "yarn") return success("yarn");
  if (master.startsWith("spark")) return success("standalone");
  if (master.startsWith("k8s://") && !lineEnds.some((end) => master.includes(end)))
    return success("kubernetes");
  if (master.startsWith("mesos") && traits.mesos) return success("mesos");
  if (master.startsWith("k8s") && traits.kubernetesMasterByPrefix) {
    return failure("SUBMIT_ERR_MASTER_PREFIX", {});
  }
  return failure("SUBMIT_ERR_MASTER_UNKNOWN", { mesos: traits.mesos });
}

/** `client` unless said otherwise. Errors: SUBMIT_ERR_DEPLOY_MODE_OPTION, SUBMIT_ERR_DEPLOY_MODE. */
export function deployModeOf(
  text: string | undefined,
  { isOption }: { readonly isOption: boolean },
): Result<DeployMode> {
  if (text === undefined || text === "client") return success("client");
  if (text === "cluster") return success("cluster");
  return isOption ? failure("SUBMIT_ERR_DEPLOY_MODE_OPTION", {}) : failure("SUBMIT_ERR_DEPLOY_MODE", {});
}

/**
 * Who takes a submission: the API of Kubernetes, the gateway of a standalone master or a Mesos dispatcher, a ResourceManager of
 * YARN, or the JVM of a Spark on this machine, for every driver that runs here.
 */
export type Place = "kubernetes" | "rest" | "yarn" | "jvm";

/** Where a submission goes that is not for Kubernetes in cluster mode. */
export type PlaceElsewhere = Exclude<Place, "kubernetes">;

/** Where a submission goes. */
export function placeOf(manager: ClusterManager, mode: DeployMode): Place {
  if (mode === "client" || manager === "local") return "jvm";
  return manager === "standalone" || manager === "mesos" ? "rest" : manager;
}
