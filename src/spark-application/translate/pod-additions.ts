import type { EnvFromSource, Toleration } from "kubernetes-types/core/v1.d.ts";
import type { Role } from "../../conf/entry.ts";
import type { Container, ContainerPort, EnvVar, PodSpec, StringMap, Volume, VolumeMount } from "../../kube/types.ts";
import type { RoleFields } from "../application.ts";
import { batchSchedulerName } from "./batch-scheduler-name.ts";
import { configMapVolumeNames } from "./config-map-volume-names.ts";
import { isLocalDirectory } from "./local-directories.ts";
import { memoryLimitOf } from "./memory-limit.ts";
import { monitoringAdditions } from "./monitoring.ts";
import { roleFields, type TranslationInput } from "./translation.ts";

/** Changes of a pod by the fields of its role. Lists are appended; everything else replaces what is there. */
export interface PodAdditions {
  readonly env: readonly EnvVar[];
  readonly envFrom: readonly EnvFromSource[];
  readonly ports: readonly ContainerPort[];
  readonly volumes: readonly Volume[];
  readonly mounts: readonly VolumeMount[];
  readonly initContainers: readonly Container[];
  readonly sidecars: readonly Container[];
  readonly tolerations: readonly Toleration[];
  readonly hostAliases: NonNullable<PodSpec["hostAliases"]>;
  readonly nodeSelector: StringMap;
  readonly limits: StringMap;
  /** Replaced fields of the pod's spec. */
  readonly spec: Partial<PodSpec>;
  /** Replaced fields of Spark's container. */
  readonly container: Partial<Container>;
}

/** Lists what the fields of a role add to its pod. Source: the webhook of Kubeflow Spark operator 2.5.2. */
export function podAdditions(input: TranslationInput, role: Role): PodAdditions {
  const fields = roleFields(input, role);
  const { monitoring, configMaps, ...mounted } = volumesOf(input, role);
  return {
    env: [...(fields.env ?? []), ...mounted.env],
    envFrom: fields.envFrom ?? [],
    ports: [...(fields.ports ?? []), ...monitoring.ports],
    volumes: [...mounted.volumes, ...configMaps.volumes, ...declaredVolumes(input, fields), ...monitoring.volumes],
    mounts: [...mounted.mounts, ...configMaps.mounts, ...declaredMounts(input, fields), ...monitoring.mounts],
    initContainers: fields.initContainers ?? [],
    sidecars: fields.sidecars ?? [],
    tolerations: fields.tolerations ?? [],
    hostAliases: [...(fields.hostAliases ?? [])],
    nodeSelector: fields.nodeSelector ?? {},
    limits: limitsOf(fields),
    spec: specOf(input, fields),
    container: {
      ...(fields.securityContext && { securityContext: fields.securityContext }),
      ...(fields.lifecycle && { lifecycle: fields.lifecycle }),
    },
  };
}

function volumesOf(input: TranslationInput, role: Role) {
  const { hadoopConfigMap = "", sparkConfigMap = "" } = input.spec;
  const hadoop = { volume: "hadoop-configmap-volume", path: "/etc/hadoop/conf", variable: "HADOOP_CONF_DIR" };
  const spark = { volume: "spark-configmap-volume", path: "/etc/spark/conf", variable: "SPARK_CONF_DIR" };
  const mounted = [
    ...(hadoopConfigMap === "" ? [] : [{ ...hadoop, configMap: hadoopConfigMap }]),
    ...(sparkConfigMap === "" ? [] : [{ ...spark, configMap: sparkConfigMap }]),
  ];
  return {
    env: mounted.map(({ variable, path }) => ({ name: variable, value: path })),
    volumes: mounted.map(({ volume, configMap }) => ({ name: volume, configMap: { name: configMap } })),
    mounts: mounted.map(({ volume, path }) => ({ name: volume, mountPath: path, readOnly: true })),
    configMaps: configMapsOf(roleFields(input, role)),
    monitoring: monitoringAdditions(input, role),
  };
}

function configMapsOf({ configMaps = [] }: RoleFields) {
  const names = configMapVolumeNames(configMaps.map(({ name }) => name));
  const named = configMaps.map((configMap, index) => ({ ...configMap, volume: names[index] ?? "" }));
  return {
    volumes: named.map(({ name, volume }) => ({ name: volume, configMap: { name } })),
    mounts: named.map(({ path, volume }) => ({ name: volume, mountPath: path, readOnly: true })),
  };
}

function declaredMounts({ spec: { volumes = [] } }: TranslationInput, { volumeMounts = [] }: RoleFields) {
  return volumeMounts.filter((mount) => !isLocalDirectory(mount) && volumes.some(({ name }) => name === mount.name));
}

function declaredVolumes(input: TranslationInput, fields: RoleFields): readonly Volume[] {
  const mounted = new Set(declaredMounts(input, fields).map(({ name }) => name));
  return (input.spec.volumes ?? []).filter(({ name }) => mounted.has(name));
}

function limitsOf({ memoryLimit = "", gpu }: RoleFields): StringMap {
  const memory = memoryLimit === "" ? undefined : memoryLimitOf(memoryLimit);
  return {
    ...(memory === undefined ? {} : { memory }),
    ...(gpu === undefined || gpu.name === "" || gpu.quantity <= 0 ? {} : { [gpu.name]: String(gpu.quantity) }),
  };
}

function specOf(input: TranslationInput, fields: RoleFields): Partial<PodSpec> {
  const schedulerName = batchSchedulerName(input) ?? fields.schedulerName ?? "";
  return {
    ...(fields.hostNetwork === true && { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" }),
    ...(fields.dnsConfig && { dnsConfig: fields.dnsConfig }),
    ...(fields.priorityClassName && { priorityClassName: fields.priorityClassName }),
    ...(schedulerName !== "" && { schedulerName }),
    ...(fields.affinity && { affinity: fields.affinity }),
    ...(fields.podSecurityContext && { securityContext: fields.podSecurityContext }),
    ...(fields.terminationGracePeriodSeconds !== undefined && {
      terminationGracePeriodSeconds: fields.terminationGracePeriodSeconds,
    }),
    ...(fields.shareProcessNamespace === true && { shareProcessNamespace: true }),
  };
}
