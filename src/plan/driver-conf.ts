import type { SparkConf } from "../conf/spark-conf.ts";
import type { SparkLineTraits } from "../conf/spark-version.ts";
import type { Pod, StringMap } from "../kube/types.ts";
import type { AppResource } from "./app-resource.ts";
import type { Facts } from "./facts.ts";

/** What a feature step may ask, for either role. */
export interface PodConf {
  readonly role: "driver" | "executor";
  readonly conf: SparkConf;
  readonly traits: SparkLineTraits;
  readonly facts: Facts;
  readonly appId: string;
  readonly namespace: string;
  readonly resourceNamePrefix: string;
  /** All labels of the pod, Spark's own included. */
  readonly labels: StringMap;
  /** The pod template; its first (or named) container is the role's. Steps read it, `spec/` merges it. */
  readonly template: Pod | undefined;
}

/** Everything decided about a driver, before any pod. */
export interface DriverConf extends PodConf {
  readonly role: "driver";
  readonly appName: string;
  readonly appResource: AppResource;
  readonly mainClass: string;
  readonly appArgs: readonly string[];
  readonly proxyUser: string | undefined;
  readonly podName: string;
  readonly serviceName: string;
  readonly confMapName: string;
}
