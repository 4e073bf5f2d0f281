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
import { type PlanPart, unrecorded } from "./plan-part.ts";
import { type ReadTemplate, readPodTemplate } from "./pod-template.ts";
import { planSecretKeyRefs } from "./secret-key-refs.ts";
import { planVolumes } from "./volumes.ts";

/** Plan of an executor that its driver would create, as far as it is known before the driver runs. */
export interface ExecutorConf extends PodConf {
  readonly role: "executor";
  readonly driver: DriverConf;
  readonly appName: string;
  readonly appKind: AppResource["kind"];
  /** Number as text, starting at 1. */
  readonly executorId: string;
  readonly podName: string;
  readonly hostname: string;
  readonly confMapName: string;
  /** The driver's pod. */
  readonly owner: OwnerReference;
  /** IP address of the driver's pod, which only the cluster knows. */
  readonly driverPodIp: string;
  readonly resources: ExecutorResources;
}

/** Facts about the driver of an executor after its pod is built. */
export interface ExecutorFacts {
  /** Settings that the driver's steps added. */
  readonly properties: StringMap;
  /** Environment of the driver's container, from which an executor inherits. */
  readonly driverEnv: Readonly<Record<string, string | undefined>>;
  /** YAML of `spark.kubernetes.executor.podTemplateFile`, parsed but not checked. */
  readonly template: unknown;
  /** Unique parts of names, which the driver generates. */
  readonly uniqueIds: { readonly resourceNamePrefix: string; readonly confMap: string };
  readonly executorId: string;
  readonly driverPod: { readonly ip: string; readonly uid: string };
}

/**
 * Plans an executor of the default resource profile as its driver does.
 *
 * Errors: all problems that would prevent the driver from creating it. Source: Spark KubernetesExecutorConf,
 * KubernetesExecutorBuilder.
 */
export function planExecutor(
  driver: DriverConf,
  facts: ExecutorFacts,
  partOf: (conf: SparkConf) => PlanPart<SparkConf> = unrecorded,
): Result<ExecutorConf> {
  const { executorId } = facts;
  const conf = driverSettings(driver, facts);
  const part = partOf(conf);
  const template = readTemplate(driver, conf, facts);
  const prefix = conf.read(executor.executorPodNamePrefix);
  const labels = part("labels", (settings) => planExecutorLabels(settings, { ...driver, executorId }));
  const issues: readonly Issue[] = [...issuesOf(prefix), ...issuesOf(template), ...issuesOf(labels)];
  const namePrefix = part("resourceNamePrefix", (settings) => {
    const chosen = settings.read(executor.executorPodNamePrefix);
    const own = chosen.ok ? chosen.value : undefined;
    return own ?? resourceNamePrefix(driver.appName, facts.uniqueIds.resourceNamePrefix);
  });
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
    ...planExecutorSettings(driver.appResource.kind, part),
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
function planExecutorSettings(kind: AppResource["kind"], part: PlanPart<SparkConf>) {
  const { resources, issues } = planExecutorResources((path, compute) => part(path, (conf) => compute({ conf, kind })));
  const volumes = part("volumes", (conf) => planVolumes(conf, "executor"));
  const secretKeyRefs = part("secretKeyRefs", (conf) => planSecretKeyRefs(conf, "executor"));
  return {
    resources,
    secretKeyRefs: secretKeyRefs.ok ? secretKeyRefs.value : [],
    volumes: volumes.specs,
    settingIssues: {
      resources: issues,
      secretKeyRefs: issuesOf(secretKeyRefs),
      volumes: volumes.issues,
      executorVolumes: [],
    },
  };
}

/** Builds the settings that the driver reads in its pod, with those that the image's entry point adds. */
function driverSettings(driver: DriverConf, { properties, driverEnv, driverPod }: ExecutorFacts): SparkConf {
  const own = driver.conf.settings().filter(({ key }) => !key.startsWith(firesteelSettings.prefix));
  const added = Object.entries({
    ...properties,
    [`${executor.executorEnv.prefix}SPARK_DRIVER_POD_IP`]: driverPod.ip,
  });
  const origin = { kind: "client", why: "the driver's own" } as const;
  return new SparkConf([...own, ...added.map(([key, value]) => ({ key, value, origin }))], driver.conf.version, {
    env: driverEnv,
    defaults: defaultTextOf,
  });
}

function readTemplate(
  driver: DriverConf,
  conf: SparkConf,
  { template }: ExecutorFacts,
): Result<ReadTemplate | undefined> {
  // The driver's own setting has the path in its pod; messages name the user's file.
  const path = driver.conf.read(podTemplateFile.executor);
  if (!path.ok) return path;
  if (path.value === undefined) return success(undefined);
  const containerName = conf.read(podTemplateContainerName.executor);
  if (!containerName.ok) return containerName;
  return readPodTemplate(template, {
    path: path.value,
    containerName: containerName.value,
    templateKind: "spark",
    octalNumbers: driver.traits.octalTemplateNumbers,
  });
}

const maxHostnameLength = 63;

/** Cuts a pod's name to its end, which differs between executors. Source: Spark BasicExecutorFeatureStep. */
function hostnameOf(podName: string): string {
  return podName
    .slice(-maxHostnameLength)
    .replace(/^[^\w]+/, "")
    .replace(/[^\w-]+/g, "_");
}

function ownerOf({ podName }: DriverConf, { driverPod }: ExecutorFacts): OwnerReference {
  return { apiVersion: "v1", kind: "Pod", name: podName, uid: driverPod.uid, controller: true };
}
