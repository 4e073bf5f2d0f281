import { podTemplateContainerName, podTemplateFile } from "../conf/entries/driver.ts";
import * as executor from "../conf/entries/executor.ts";
import { firesteelSettings } from "../conf/entries/firesteel.ts";
import { defaultTextOf } from "../conf/entries/topics.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issuesOf, type Result, success, unlessIssues } from "../errors/issue.ts";
import type { OwnerReference, StringMap } from "../kube/types.ts";
import type { AppResource } from "./app-resource.ts";
import type { DriverConf, PodConf } from "./driver-conf.ts";
import { type ExecutorResources, planExecutorResources } from "./executor-resources.ts";
import { planExecutorLabels } from "./labels.ts";
import { executorConfMapName, resourceNamePrefix } from "./names.ts";
import { type ReadTemplate, readPodTemplate } from "./pod-template.ts";
import { planSecretKeyRefs } from "./secret-key-refs.ts";
import { planVolumes } from "./volumes.ts";

/** Everything that a driver decides about one of its executors, as far as it can be known before the driver runs. */
export interface ExecutorConf extends PodConf {
  readonly role: "executor";
  /** Whose executor it is. */
  readonly driver: DriverConf;
  readonly appName: string;
  readonly appKind: AppResource["kind"];
  /** A number, from 1 on. */
  readonly executorId: string;
  readonly podName: string;
  readonly hostname: string;
  readonly confMapName: string;
  /** The driver's pod. */
  readonly owner: OwnerReference;
  /** Of the driver's pod; only the cluster knows it. */
  readonly driverPodIp: string;
  readonly resources: ExecutorResources;
}

/** What is known of an executor's driver once its pod is built. */
export interface ExecutorFacts {
  /** Settings that steps handed to the driver. */
  readonly properties: StringMap;
  /** The variables of the driver's container: an executor inherits what the driver finds there. */
  readonly driverEnv: Readonly<Record<string, string | undefined>>;
  /** Text of `spark.kubernetes.executor.podTemplateFile`, parsed; still to be checked. */
  readonly template: unknown;
  /** Unique parts of names, which the driver makes. */
  readonly uniqueIds: { readonly resourceNamePrefix: string; readonly confMap: string };
  readonly executorId: string;
  readonly driverPod: { readonly ip: string; readonly uid: string };
}

/**
 * Decides what a driver will decide about an executor of the default resource profile.
 *
 * Errors: what would keep the driver from it. Source: Spark KubernetesExecutorConf, KubernetesExecutorBuilder.
 */
export function planExecutor(driver: DriverConf, facts: ExecutorFacts): Result<ExecutorConf> {
  const { executorId } = facts;
  const conf = driverSettings(driver, facts);
  const template = readTemplate(driver, conf, facts);
  const prefix = conf.read(executor.executorPodNamePrefix);
  const labels = planExecutorLabels(conf, { ...driver, executorId });
  const issues: readonly Issue[] = [...issuesOf(prefix), ...issuesOf(template), ...issuesOf(labels)];
  const chosenPrefix = prefix.ok ? prefix.value : undefined;
  const namePrefix = chosenPrefix ?? resourceNamePrefix(driver.appName, facts.uniqueIds.resourceNamePrefix);
  const podName = `${namePrefix}-exec-${executorId}`;
  return unlessIssues(issues, {
    role: "executor",
    conf,
    traits: driver.traits,
    facts: { ...driver.facts, env: facts.driverEnv },
    appId: driver.appId,
    namespace: driver.namespace,
    resourceNamePrefix: namePrefix,
    labels: labels.ok ? labels.value : {},
    template: template.ok ? template.value?.template : undefined,
    ...planExecutorSettings(conf, driver.appResource.kind),
    driver,
    appName: driver.appName,
    appKind: driver.appResource.kind,
    executorId,
    podName,
    hostname: hostnameOf(podName),
    confMapName: executorConfMapName(facts.uniqueIds.confMap),
    owner: ownerOf(driver, facts),
    driverPodIp: facts.driverPod.ip,
  });
}

/** Parses the groups of settings that several steps, or a step and its check, use. */
function planExecutorSettings(conf: SparkConf, kind: AppResource["kind"]) {
  const { resources, issues } = planExecutorResources(conf, kind);
  const volumes = planVolumes(conf, "executor");
  const secretKeyRefs = planSecretKeyRefs(conf, "executor");
  return {
    resources,
    secretKeyRefs: secretKeyRefs.ok ? secretKeyRefs.value : [],
    volumes: volumes.ok ? volumes.value : [],
    settingIssues: {
      resources: issues,
      secretKeyRefs: issuesOf(secretKeyRefs),
      volumes: issuesOf(volumes),
      executorVolumes: [],
    },
  };
}

/** The settings that the driver finds in its pod, and those that the image's entry point adds. */
function driverSettings(driver: DriverConf, { properties, driverEnv, driverPod }: ExecutorFacts): SparkConf {
  const own = driver.conf.settings().filter(({ key }) => !key.startsWith(firesteelSettings.prefix));
  const added = Object.entries({
    ...properties,
    [`${executor.executorEnv.prefix}SPARK_DRIVER_POD_IP`]: driverPod.ip,
  });
  const origin = { kind: "client", why: "the driver's own" } as const;
  return new SparkConf(
    [...own, ...added.map(([key, value]) => ({ key, value, origin }))],
    driver.conf.version,
    { env: driverEnv, defaults: defaultTextOf },
  );
}

function readTemplate(
  driver: DriverConf,
  conf: SparkConf,
  { template }: ExecutorFacts,
): Result<ReadTemplate | undefined> {
  // The driver knows the path in its pod; whoever asks us knows the file.
  const path = driver.conf.read(podTemplateFile.executor);
  if (!path.ok) return path;
  if (path.value === undefined) return success(undefined);
  const containerName = conf.read(podTemplateContainerName.executor);
  if (!containerName.ok) return containerName;
  return readPodTemplate(template, {
    path: path.value,
    containerName: containerName.value,
    strict: true,
    octalNumbers: driver.traits.octalTemplateNumbers,
  });
}

const longestHostname = 63;

/** The end of the pod's name, which tells executors apart. Source: Spark BasicExecutorFeatureStep. */
function hostnameOf(podName: string): string {
  return podName
    .slice(-longestHostname)
    .replace(/^[^\w]+/, "")
    .replace(/[^\w-]+/g, "_");
}

function ownerOf({ podName }: DriverConf, { driverPod }: ExecutorFacts): OwnerReference {
  return { apiVersion: "v1", kind: "Pod", name: podName, uid: driverPod.uid, controller: true };
}
