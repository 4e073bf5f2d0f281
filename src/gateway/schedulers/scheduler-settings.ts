import {
  driverAnnotations,
  driverLabels,
  driverSchedulerName,
  featureSteps,
  volcanoPodGroupTemplateJson,
} from "../../conf/entries/driver.ts";
import { executorAnnotations, executorLabels, executorSchedulerName } from "../../conf/entries/executor.ts";
import { sparkPackage, stepNames } from "../../plan/feature-steps.ts";
import { podGroupAnnotation } from "../../plan/labels.ts";
import type { QueueScheduler } from "../queue/queue-rules.ts";
import { type Gang, type GangPod, totalRequests } from "./gang.ts";

type Settings = Readonly<Record<string, string>>;

/** Returns the settings with which Spark's pods enter a queue of a scheduler. */
export function schedulerSettings({ kind, queue }: QueueScheduler, gang: Gang): Settings {
  switch (kind) {
    case "kueue":
      return kueueSettings(queue);
    case "volcano":
      return volcanoSettings(queue, gang);
    case "yunikorn":
      return yunikornSettings(queue, gang);
  }
}

const kueue = "kueue.x-k8s.io/";

/**
 * Each pod is a workload of its own. A pod group would never be admitted: Kueue waits for all of its pods, and the driver creates
 * executors only when it runs.
 *
 * Source: Kueue, Run Spark with spark-submit using Plain Pods.
 */
function kueueSettings(queue: string): Settings {
  return {
    [`${driverLabels.prefix}${kueue}queue-name`]: queue,
    [`${executorLabels.prefix}${kueue}queue-name`]: queue,
    // Kueue ignores pods that another object owns, as the driver owns its executors, without these two.
    [`${executorLabels.prefix}${kueue}managed`]: "true",
    [`${executorAnnotations.prefix}${kueue}pod-suspending-parent`]: "spark-driver",
  };
}

/**
 * The PodGroup stays in Volcano's queue until the resources of all pods are free. One member suffices to start it: executors exist
 * only when the driver runs. Executors get the annotation, not Spark's step, which their images lack before Spark 4.2.
 *
 * Source: Spark, Running on Kubernetes, Using Volcano.
 */
function volcanoSettings(queue: string, gang: Gang): Settings {
  const spec = { minMember: 1, queue, minResources: totalRequests(gang) };
  return {
    ...schedulerNames("volcano"),
    [featureSteps.driver.key]: `${sparkPackage}${stepNames.volcano}`,
    [volcanoPodGroupTemplateJson.key]: JSON.stringify({ spec }),
    [`${executorAnnotations.prefix}${podGroupAnnotation}`]: "{{APP_ID}}-podgroup",
  };
}

const yunikorn = "yunikorn.apache.org/";
const groupNames = { driver: "spark-driver", executor: "spark-executor" } as const;

/**
 * The driver's annotation describes all pods, for which YuniKorn reserves room before it starts the driver. It takes the application's ID from
 * Spark's own label.
 *
 * Source: YuniKorn, Gang Scheduling; Labels and Annotations in YuniKorn.
 */
function yunikornSettings(queue: string, { driver, executors }: Gang): Settings {
  const groups = [
    taskGroup(groupNames.driver, 1, driver),
    ...(executors === undefined ? [] : [taskGroup(groupNames.executor, executors.count, executors.pod)]),
  ];
  return {
    ...schedulerNames("yunikorn"),
    [`${driverLabels.prefix}queue`]: queue,
    [`${executorLabels.prefix}queue`]: queue,
    [`${driverAnnotations.prefix}${yunikorn}task-groups`]: JSON.stringify(groups),
    [`${driverAnnotations.prefix}${yunikorn}task-group-name`]: groupNames.driver,
    ...(executors && { [`${executorAnnotations.prefix}${yunikorn}task-group-name`]: groupNames.executor }),
  };
}

function taskGroup(name: string, minMember: number, { requests, ...placement }: GangPod) {
  return { name, minMember, minResource: requests, ...placement };
}

function schedulerNames(name: string): Settings {
  return { [driverSchedulerName.key]: name, [executorSchedulerName.key]: name };
}
