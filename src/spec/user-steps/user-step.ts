import type { Contribution } from "../../features/step.ts";
import type { Pod, StringMap } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";

// Published as `firesteel/features`: what a module of steps needs, and nothing else.
export type { Contribution } from "../../features/step.ts";

/** View of a submission for a user step. */
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
  /** The Spark version that is spoken, e.g. `4.3.0`. */
  readonly sparkVersion: string;
  /** The labels of the pod, Spark's own included. */
  readonly labels: StringMap;
  /** All settings by key, as written; secrets among them. */
  readonly settings: StringMap;
}

/**
 * A feature step of the user's own, as `spark.firesteel.featureSteps` names it: a module's default export, or its export
 * `step`. It runs after all of Spark's steps.
 */
export interface UserStep {
  /** For messages. @default the module's file name without extension */
  readonly name?: string;
  /** Returns additions to pod, container, settings and objects. Two steps cannot set the same thing. */
  readonly contribute?: (conf: StepConf) => Contribution;
  /**
   * Changes the finished pod in any way but its name, its namespace and the labels that Spark finds it by. Gets a copy, and
   * returns the whole pod.
   */
  readonly transform?: (pod: Pod, conf: StepConf) => Pod;
}

/** Gives a step its type; else it does nothing. */
export function defineStep(step: UserStep): UserStep {
  return step;
}

/** A step that was found and looked at. */
export interface NamedStep {
  /** For messages. */
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
