import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import type { EnvVar } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";
import { addToPod, type PartialPodSpec } from "./add-to-pod.ts";
import type { FieldSettings } from "./field-settings.ts";
import { type PodAdditions, podAdditions } from "./pod-additions.ts";
import { roleFields, type TranslationInput } from "./translation.ts";

/** Default names of Spark's containers. */
export const containerNames: Readonly<Record<Role, string>> = {
  driver: "spark-kubernetes-driver",
  executor: "spark-kubernetes-executor",
};

/** Variables that Spark sets, after those of the template. */
const sparkVariables: ReadonlySet<string> = new Set([
  ...["SPARK_USER", "SPARK_DRIVER_URL", "SPARK_EXECUTOR_CORES", "SPARK_EXECUTOR_MEMORY", "SPARK_APPLICATION_ID"],
  ...["SPARK_CONF_DIR", "SPARK_EXECUTOR_ID", "SPARK_RESOURCE_PROFILE_ID", "SPARK_EXECUTOR_POD_IP"],
  ...["SPARK_EXECUTOR_POD_NAME", "SPARK_LOCAL_DIRS", "SPARK_CLASSPATH", "SPARK_DRIVER_BIND_ADDRESS"],
]);

/** A role's template, and sentences about what a template cannot express. */
interface RoleTemplate {
  /** JSON; `undefined` if the fields require no template. */
  readonly text: string | undefined;
  readonly warnings: readonly string[];
}

/**
 * Builds the template of a role: the one in the file, with everything that the fields add. Spark creates pods from it, so that no webhook is
 * necessary. Variables that Spark would override become settings.
 */
export function roleTemplate(settings: FieldSettings, input: TranslationInput, role: Role): RoleTemplate {
  const { template } = roleFields(input, role);
  const additions = podAdditions(input, role);
  const { env, warnings } = variablesOfTemplate(settings, additions.env, role);
  const added = { ...additions, env, limits: limitsOfTemplate(additions) };
  const text = template === undefined && isEmpty(added) ? undefined : printTemplate(template, added, role);
  return { text, warnings: [...warnings, ...limitWarnings(input, role)] };
}

/** Moves variables that Spark or other fields set, too, into settings, which take precedence. */
function variablesOfTemplate(settings: FieldSettings, env: readonly EnvVar[], role: Role) {
  const last = [...new Map(env.map((variable) => [variable.name, variable])).values()];
  const warnings: string[] = [];
  const { env: prefix, secretKeyRef } = fieldKeys[role];
  const kept = last.filter((variable) => {
    const { name, value = "", valueFrom } = variable;
    const setBySpark = sparkVariables.has(name);
    const isSetting = [`${prefix}${name}`, `${secretKeyRef}${name}`].some((key) => settings.value(key) !== undefined);
    if (!setBySpark && !isSetting) return true;
    settings.remove(`${prefix}${name}`);
    settings.remove(`${secretKeyRef}${name}`);
    if (role === "driver" && name === "SPARK_CONF_DIR")
      warnings.push(`spec: SPARK_CONF_DIR=${value} has no effect for the driver: spark-submit sets it itself.`);
    if (valueFrom === undefined) {
      settings.put(`${prefix}${name}`, value, `spec.${role}.env`);
      return false;
    }
    if (setBySpark)
      warnings.push(`spec.${role}.env: Spark sets ${name} itself, after valueFrom, which has no effect for ${role}s.`);
    return true;
  });
  return { env: kept, warnings };
}

/** Spark writes the limit of memory. */
function limitsOfTemplate({ limits }: PodAdditions): PodAdditions["limits"] {
  return Object.fromEntries(Object.entries(limits).filter(([name]) => name !== "memory"));
}

function limitWarnings(input: TranslationInput, role: Role): readonly string[] {
  const { memoryLimit = "" } = roleFields(input, role);
  if (memoryLimit === "") return [];
  return [
    `spec.${role}.memoryLimit has no effect: Spark sets the memory limit of ${role}s to their request. Use spec.${role}.memoryOverhead.`,
  ];
}

function isEmpty({ spec, container, limits, nodeSelector, ...lists }: PodAdditions): boolean {
  const isBare = (fields: object) => Object.keys(fields).length === 0;
  return [spec, container, limits].every(isBare) && Object.values(lists).every((list) => list.length === 0);
}

function printTemplate(template: unknown, additions: PodAdditions, role: Role): string {
  const { spec, ...rest } = isFields(template) ? template : {};
  const base = isPodSpec(spec) ? spec : {};
  // Without a container of that name, Spark takes the first one and puts it last; the operator's webhook changes the first of that pod.
  const otherwise = (base.containers ?? []).length > 1 ? 1 : 0;
  // Node selectors are settings.
  const withoutSelector = { ...additions, nodeSelector: {} };
  const changed = addToPod(base, withoutSelector, { names: [containerNames[role], role], otherwise });
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", ...rest, spec: changed }, undefined, 2);
}

/** Whether a value can be extended: its lists are lists. The plan checks everything else. */
function isPodSpec(value: unknown): value is PartialPodSpec {
  if (!isFields(value)) return false;
  const lists = ["containers", "initContainers", "volumes", "tolerations", "hostAliases"];
  return lists.every((name) => value[name] === undefined || Array.isArray(value[name]));
}
