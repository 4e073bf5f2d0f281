import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import type { FieldName } from "../../plan/submit-fields.ts";
import type { ApplicationSpec, DynamicAllocation, ExecutorFields } from "../application.ts";
import { credentialVariables } from "./credential-variables.ts";
import type { FieldSettings } from "./field-settings.ts";
import { appNameLabel } from "./names.ts";
import { roleFields, type TranslationInput } from "./translation.ts";

/** Options that take precedence over all settings. */
export function submissionFields({
  name,
  spec,
}: Pick<TranslationInput, "name" | "spec">): Readonly<Partial<Record<FieldName, string>>> {
  const { deps = {} } = spec;
  const values: Readonly<Partial<Record<FieldName, string | undefined>>> = {
    deployMode: spec.mode,
    mainClass: spec.mainClass,
    name,
    proxyUser: spec.proxyUser,
    jars: deps.jars?.join(","),
    packages: deps.packages?.join(","),
    packagesExclusions: deps.excludePackages?.join(","),
    repositories: deps.repositories?.join(","),
    pyFiles: deps.pyFiles?.join(","),
    files: deps.files?.join(","),
    archives: deps.archives?.join(","),
  };
  const fields: Partial<Record<FieldName, string>> = {};
  for (const [field, value] of entriesOf(values)) if (value !== undefined && value !== "") fields[field] = value;
  return fields;
}

function entriesOf<K extends string, V>(values: Readonly<Partial<Record<K, V>>>): readonly (readonly [K, V])[];
function entriesOf(values: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(values);
}

/** Adds what the operator passes before `sparkConf`, which takes precedence over it. */
export function addCommonSettings(settings: FieldSettings, { namespace, spec }: TranslationInput): void {
  settings.put(fieldKeys.namespace, namespace, "metadata.namespace");
  settings.set(fieldKeys.image, spec.image, "spec.image");
  settings.set(fieldKeys.pullPolicy, spec.imagePullPolicy, "spec.imagePullPolicy");
  settings.set(fieldKeys.pullSecrets, spec.imagePullSecrets?.join(","), "spec.imagePullSecrets");
  settings.set(fieldKeys.pythonVersion, spec.pythonVersion, "spec.pythonVersion");
  settings.set(fieldKeys.overheadFactor, spec.memoryOverheadFactor, "spec.memoryOverheadFactor");
  settings.set(fieldKeys.waitAppCompletion, false, "spec");
}

/** Adds the settings of a role's fields, which take precedence over `sparkConf`. */
export function addRoleSettings(settings: FieldSettings, input: TranslationInput, role: Role): void {
  const { name, labels, spec } = input;
  const keys = fieldKeys[role];
  const fields = roleFields(input, role);
  const at = (field: string) => `spec.${role}.${field}`;
  settings.set(keys.image, fields.image || spec.image, fields.image ? at("image") : "spec.image");
  settings.set(keys.cores, fields.cores, at("cores"));
  settings.set(keys.coreRequest, fields.coreRequest, at("coreRequest"));
  settings.set(keys.coreLimit, fields.coreLimit, at("coreLimit"));
  settings.set(keys.memory, fields.memory, at("memory"));
  settings.set(keys.memoryOverhead, fields.memoryOverhead, at("memoryOverhead"));
  settings.set(keys.serviceAccount, fields.serviceAccount, at("serviceAccount"));
  settings.set(keys.javaOptions, fields.javaOptions, at("javaOptions"));
  const ofObject = Object.entries(labels).filter(([key]) => !key.startsWith("kueue.x-k8s.io/"));
  settings.putAll(keys.label, Object.fromEntries(ofObject), "metadata.labels");
  settings.putAll(keys.label, fields.labels, at("labels"));
  settings.put(`${keys.label}${appNameLabel}`, name, "metadata.name");
  settings.putAll(keys.annotation, fields.annotations, at("annotations"));
  settings.putAll(keys.env, fields.envVars, at("envVars"));
  for (const [variable, reference] of Object.entries(fields.envSecretKeyRefs ?? {}))
    settings.put(`${keys.secretKeyRef}${variable}`, `${reference.name}:${reference.key}`, at("envSecretKeyRefs"));
  for (const secret of fields.secrets ?? []) {
    settings.put(`${keys.secret}${secret.name}`, secret.path, at("secrets"));
    settings.putAll(keys.env, credentialVariables(secret), at("secrets"));
  }
  // Properties would take precedence over a template, and the field takes precedence over both.
  settings.putAll(keys.nodeSelector, fields.nodeSelector, at("nodeSelector"));
}

/** Whether the driver cannot use a master: it expects an address without the prefix. A submission with such a setting would be rejected. */
export function isUnusableMaster(master: string | undefined): master is string {
  return master?.startsWith("k8s://") === true;
}

/** Adds the settings of fields that only the driver has. */
export function addDriverSettings(settings: FieldSettings, { name, spec: { driver, mode } }: TranslationInput): void {
  const specified = driver.podName || settings.value(fieldKeys.podName);
  // In client mode, Spark fails if there is no pod of this name. Only a driver in a pod has one.
  const podName = specified || (mode === "client" ? undefined : `${name}-driver`);
  settings.set(fieldKeys.podName, podName, driver.podName ? "spec.driver.podName" : "metadata.name");
  if (!isUnusableMaster(driver.kubernetesMaster))
    settings.set(fieldKeys.driverMaster, driver.kubernetesMaster, "spec.driver.kubernetesMaster");
  settings.putAll(fieldKeys.serviceLabel, driver.serviceLabels, "spec.driver.serviceLabels");
  settings.putAll(fieldKeys.serviceAnnotation, driver.serviceAnnotations, "spec.driver.serviceAnnotations");
}

/** Adds the settings of fields that only executors have. */
export function addExecutorSettings(settings: FieldSettings, executor: ExecutorFields): void {
  settings.set(fieldKeys.instances, executor.instances, "spec.executor.instances");
  settings.set(fieldKeys.deleteOnTermination, executor.deleteOnTermination, "spec.executor.deleteOnTermination");
}

/** Adds the settings of dynamic allocation, if it is enabled. */
export function addDynamicAllocation(settings: FieldSettings, allocation: DynamicAllocation | undefined): void {
  if (allocation?.enabled !== true) return;
  const { dynamic } = fieldKeys;
  const at = (field: string) => `spec.dynamicAllocation.${field}`;
  settings.set(dynamic.enabled, true, at("enabled"));
  settings.set(dynamic.initialExecutors, allocation.initialExecutors, at("initialExecutors"));
  settings.set(dynamic.minExecutors, allocation.minExecutors, at("minExecutors"));
  settings.set(dynamic.maxExecutors, allocation.maxExecutors, at("maxExecutors"));
  settings.set(dynamic.shuffleTrackingEnabled, allocation.shuffleTrackingEnabled, at("shuffleTrackingEnabled"));
  settings.set(dynamic.shuffleTrackingTimeout, allocation.shuffleTrackingTimeout, at("shuffleTrackingTimeout"));
}

/** Adds `sparkConf`, then `hadoopConf`, which takes precedence. */
export function addConf(settings: FieldSettings, { sparkConf, hadoopConf }: ApplicationSpec): void {
  settings.putAll("", sparkConf, "spec.sparkConf");
  settings.putAll(fieldKeys.hadoop, hadoopConf, "spec.hadoopConf");
}
