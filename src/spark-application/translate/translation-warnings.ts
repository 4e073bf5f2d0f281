import { executorResources } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import { languageOf } from "../../plan/app-resource.ts";
import type { ApplicationSpec } from "../application.ts";
import { isUnusableMaster } from "./application-settings.ts";
import { isLocalDirectory } from "./local-directories.ts";
import { roleFields, type TranslationInput } from "./translation.ts";

/** Lists the fields that have no effect, and those that contradict others. */
export function translationWarnings(input: TranslationInput): readonly string[] {
  const { spec } = input;
  return [
    ...unusedFields(spec),
    ...typeWarnings(spec),
    ...gpuWarnings(spec),
    ...masterWarnings(spec),
    ...clientModeWarnings(input),
    ...(["driver", "executor"] as const).flatMap((role) => mountWarnings(input, role)),
  ];
}

function unusedFields({
  pythonVersion,
  failureRetries,
  retryInterval,
  monitoring,
}: ApplicationSpec): readonly string[] {
  const deprecated = "has no effect: use spec.restartPolicy.";
  return [
    ...(pythonVersion === undefined ? [] : ["spec.pythonVersion has no effect: the image determines Python."]),
    ...(failureRetries === undefined ? [] : [`spec.failureRetries ${deprecated}`]),
    ...(retryInterval === undefined ? [] : [`spec.retryInterval ${deprecated}`]),
    ...(monitoring !== undefined && monitoring.prometheus === undefined
      ? ["spec.monitoring has no effect without spec.monitoring.prometheus."]
      : []),
  ];
}

const types = { Python: "python", R: "r", Java: "java", Scala: "java" } as const;

function typeWarnings({ type, mainApplicationFile }: ApplicationSpec): readonly string[] {
  if (languageOf(mainApplicationFile) === types[type]) return [];
  return [`spec.type is ${type}, but Spark determines the language by the file ${mainApplicationFile}.`];
}

function masterWarnings({ driver: { kubernetesMaster } }: ApplicationSpec): readonly string[] {
  if (!isUnusableMaster(kubernetesMaster)) return [];
  const address = kubernetesMaster.replace(/^k8s:\/\//, "");
  return [`spec.driver.kubernetesMaster: the driver cannot use ${kubernetesMaster}. Write ${address}.`];
}

function gpuWarnings({ executor: { gpu }, sparkConf = {} }: ApplicationSpec): readonly string[] {
  const key = Object.keys(sparkConf).find((name) => name.startsWith(executorResources));
  if (gpu === undefined || gpu.name === "" || gpu.quantity <= 0 || key === undefined) return [];
  return [`spec.executor.gpu has no effect for a resource that ${key} names: Spark sets that limit itself.`];
}

/** Fields of the driver that are not about its pod. */
const processFields: readonly string[] = ["cores", "memory", "javaOptions", "podName", "serviceAccount"];

function clientModeWarnings({ spec: { mode }, specified }: TranslationInput): readonly string[] {
  const unused = Object.keys(specified.driver).filter((field) => !processFields.includes(field));
  if (mode !== "client" || unused.length === 0) return [];
  const fields = unused.map((field) => `spec.driver.${field}`).join(", ");
  return [
    `In client mode, the driver is a process of this machine, not a pod. These fields have no effect: ${fields}.`,
  ];
}

function mountWarnings(input: TranslationInput, role: Role): readonly string[] {
  const { volumeMounts = [] } = roleFields(input, role);
  const declared = new Set((input.spec.volumes ?? []).map(({ name }) => name));
  return volumeMounts
    .filter((mount) => !isLocalDirectory(mount) && !declared.has(mount.name))
    .map(({ name }) => `spec.${role}.volumeMounts: ${name} is not in spec.volumes, so it is not mounted.`);
}
