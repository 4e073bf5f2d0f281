import type { SparkConf } from "../conf/spark-conf.ts";
import type { AppResource } from "./app-resource.ts";

/** A cluster that the submission brought along, so that no kubeconfig need tell how to reach it. */
export interface ClusterAccess {
  /** PEM. */
  readonly certificateAuthority: string;
  /** Bearer token. */
  readonly token: string;
  /** Where the driver finds the API server. */
  readonly driverMaster: string;
}

/** An application that is to be submitted in cluster mode, wherever that is. */
export interface ApplicationRequest {
  readonly appResource: AppResource;
  readonly mainClass: string;
  readonly appArgs: readonly string[];
  readonly proxyUser: string | undefined;
  /** Merged, in the form that the driver's properties start from: `spark.master`, `spark.app.name`, … included. */
  readonly conf: SparkConf;
  /** Exactly Spark's behaviour, its exit codes included (FIRESTEEL_STRICT=1). */
  readonly strict: boolean;
}

/** A submission to Kubernetes, decided by command line, library or gateway: what planning starts from. */
export interface SubmitRequest extends ApplicationRequest {
  /** Without `k8s://`, e.g. `https://10.0.0.1:6443`. */
  readonly apiServer: string;
  readonly access: ClusterAccess | undefined;
}
