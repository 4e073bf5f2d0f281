import type { Behaviors } from "../conf/behaviors.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { AppResource } from "./app-resource.ts";

/** Access data of a cluster, used instead of a kubeconfig. */
export interface ClusterAccess {
  /** Value of `--master`: `k8s://embedded` or `k8s://embedded/NAME`. */
  readonly master: string;
  /** Certificate in PEM. */
  readonly certificateAuthority: string;
  /** Bearer token. */
  readonly token: string;
  /** Address of the API server for the driver. */
  readonly driverMaster: string;
  /** Throws if the cluster's process has ended. @default not checked */
  readonly requireRunning?: (() => void) | undefined;
}

/** Application to submit in cluster mode to any cluster manager. */
export interface ApplicationRequest {
  readonly appResource: AppResource;
  readonly mainClass: string;
  readonly appArgs: readonly string[];
  readonly proxyUser: string | undefined;
  /** Merged settings from which the driver's properties are built, with `spark.master`, `spark.app.name` and others. */
  readonly conf: SparkConf;
  readonly behaviors: Behaviors;
}

/**
 * Submission to Kubernetes from the command line, the library or the gateway: the input of planning.
 *
 * @example
 * ```ts
 * const addressOf = ({ apiServer }: SubmitRequest) => apiServer;
 * ```
 */
export interface SubmitRequest extends ApplicationRequest {
  /** Address without `k8s://`, e.g. `https://10.0.0.1:6443`. */
  readonly apiServer: string;
  readonly access: ClusterAccess | undefined;
}
