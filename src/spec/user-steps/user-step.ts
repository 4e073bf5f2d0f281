import type { Contribution } from "../../features/step.ts";
import type { KubeResource, Pod, StringMap } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";

// Published as `firesteel/features`: only what a module with steps needs.
export type { Contribution } from "../../features/step.ts";

/**
 * View of a submission for a user step.
 *
 * @example
 * ```ts
 * const labelsOf = ({ appName }: StepConf) => ({ app: appName });
 * ```
 */
export interface StepConf {
  readonly role: "driver";
  readonly appName: string;
  /** E.g. `spark-0123456789abcdef0123456789abcdef`. */
  readonly appId: string;
  readonly mainClass: string;
  readonly appArgs: readonly string[];
  readonly namespace: string;
  readonly podName: string;
  /** Name prefix of all objects of the submission. */
  readonly resourceNamePrefix: string;
  /** Target Spark version, e.g. `4.3.0`. */
  readonly sparkVersion: string;
  /** Labels of the pod, including Spark's own. */
  readonly labels: StringMap;
  /** All settings by key, as written, including secrets. */
  readonly settings: StringMap;
}

/**
 * Feature step of the user: the default export, or the export `step`, of a module in `spark.firesteel.featureSteps`. It runs
 * after all of Spark's steps.
 *
 * @example
 * ```ts
 * const step: UserStep = { contribute: () => ({ labels: { team: "billing" } }) };
 * await firesteel.submit({ app: "local:///opt/app.py", steps: [step] });
 * ```
 */
export interface UserStep {
  /** Name for messages. @default the module's file name without extension */
  readonly name?: string;
  /** Returns additions to pod, container, settings and objects. Two steps cannot set the same field. */
  readonly contribute?: (conf: StepConf) => Contribution;
  /**
   * Transforms a copy of the finished pod and returns the complete pod. It cannot change the name, the namespace and the labels by
   * which Spark finds the pod.
   */
  readonly transform?: (pod: Pod, conf: StepConf) => Pod;
  /**
   * Returns the http or https URL at which the waiting init container of the driver accepts files, with the value `FeatureStep` of
   * `spark.firesteel.staging.push.serviceManagerType`. While it returns `undefined`, it is called again every second, until
   * `spark.firesteel.staging.push.timeout`.
   */
  readonly pushUrl?: (conf: StepConf, read: ReadObject) => string | undefined | Promise<string | undefined>;
}

/**
 * Object of the cluster.
 *
 * @example
 * ```ts
 * const ingress: ObjectReference = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "files" };
 * ```
 */
export interface ObjectReference {
  /** E.g. `networking.k8s.io/v1`. */
  readonly apiVersion: string;
  /** E.g. `Ingress`. */
  readonly kind: string;
  readonly name: string;
  /** @default the submission's; objects outside of namespaces ignore it */
  readonly namespace?: string;
}

/**
 * Reads an object with the permissions of the submission. Resolves with `undefined` while it does not exist.
 *
 * @example
 * ```ts
 * const exists = async (read: ReadObject) =>
 *   (await read({ apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "files" })) !== undefined;
 * ```
 */
export type ReadObject = (object: ObjectReference) => Promise<KubeResource | undefined>;

/**
 * Returns its argument, to give a step its type.
 *
 * @example
 * ```ts
 * const step = defineStep({ contribute: ({ appName }) => ({ labels: { app: appName } }) });
 * ```
 */
export function defineStep(step: UserStep): UserStep {
  return step;
}

/** Loaded and checked step. */
export interface NamedStep {
  /** Name for messages. */
  readonly name: string;
  readonly step: UserStep;
}

/** Builds the input of a driver's steps. */
export function toStepConf(driver: DriverConf): StepConf {
  const { conf, appName, appId, mainClass, appArgs, namespace, podName, resourceNamePrefix } = driver;
  return {
    role: "driver",
    ...{ appName, appId, mainClass, namespace, podName, resourceNamePrefix },
    appArgs: [...appArgs],
    sparkVersion: conf.version.text,
    labels: { ...driver.labels },
    settings: Object.fromEntries(conf.settings().map(({ key, value }) => [key, value])),
  };
}
