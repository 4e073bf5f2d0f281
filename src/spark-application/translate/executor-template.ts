import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { EnvVar } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";
import { addToPod, type PartialPodSpec } from "./add-to-pod.ts";
import type { FieldSettings } from "./field-settings.ts";
import { type PodAdditions, podAdditions } from "./pod-additions.ts";
import type { TranslationInput } from "./translation.ts";

/** Default name of the executors' container. */
export const executorContainer = "spark-kubernetes-executor";

/** Variables that Spark sets for executors, after those of the template. */
const sparkVariables = new Set([
  ...["SPARK_USER", "SPARK_DRIVER_URL", "SPARK_EXECUTOR_CORES", "SPARK_EXECUTOR_MEMORY", "SPARK_APPLICATION_ID"],
  ...["SPARK_CONF_DIR", "SPARK_EXECUTOR_ID", "SPARK_RESOURCE_PROFILE_ID", "SPARK_EXECUTOR_POD_IP"],
  ...["SPARK_EXECUTOR_POD_NAME", "SPARK_LOCAL_DIRS", "SPARK_CLASSPATH"],
]);

/** The executors' template, and what cannot be expressed by a template. */
interface ExecutorTemplate {
  /** JSON; `undefined` if the fields require no template. */
  readonly text: string | undefined;
  readonly warnings: readonly string[];
}

/**
 * Builds the template of the executors: the one in the file, with everything that the fields add. The driver creates executors from it, so
 * that no webhook is necessary. Variables that Spark would override become settings.
 */
export function executorTemplate(settings: FieldSettings, input: TranslationInput): ExecutorTemplate {
  const { template } = input.spec.executor;
  const additions = podAdditions(input, "executor");
  const { env, warnings } = variablesOfTemplate(settings, additions.env);
  const added = { ...additions, env, limits: limitsOfTemplate(additions) };
  const text = template === undefined && isEmpty(added) ? undefined : printTemplate(template, added);
  return { text, warnings: [...warnings, ...limitWarnings(input)] };
}

/** Moves variables that Spark or other fields set, too, into settings, which take precedence. */
function variablesOfTemplate(settings: FieldSettings, env: readonly EnvVar[]) {
  const last = [...new Map(env.map((variable) => [variable.name, variable])).values()];
  const warnings: string[] = [];
  const kept = last.filter((variable) => {
    const { name, value = "", valueFrom } = variable;
    const { env: prefix, secretKeyRef } = fieldKeys.executor;
    const setBySpark = sparkVariables.has(name);
    const isSetting = [`${prefix}${name}`, `${secretKeyRef}${name}`].some((key) => settings.value(key) !== undefined);
    if (!setBySpark && !isSetting) return true;
    settings.remove(`${prefix}${name}`);
    settings.remove(`${secretKeyRef}${name}`);
    if (valueFrom === undefined) {
      settings.put(`${prefix}${name}`, value, "spec.executor.env");
      return false;
    }
    if (setBySpark)
      warnings.push(
        `spec.executor.env: Spark sets ${name} itself, after valueFrom, which has no effect for executors.`,
      );
    return true;
  });
  return { env: kept, warnings };
}

/** Spark writes the limit of memory. */
function limitsOfTemplate({ limits }: PodAdditions): PodAdditions["limits"] {
  return Object.fromEntries(Object.entries(limits).filter(([name]) => name !== "memory"));
}

function limitWarnings({ spec }: TranslationInput): readonly string[] {
  const { memoryLimit = "" } = spec.executor;
  if (memoryLimit === "") return [];
  return [
    `spec.executor.memoryLimit has no effect: the driver sets the memory limit of executors to their request. Use spec.executor.memoryOverhead.`,
  ];
}

function isEmpty({ spec, container, limits, nodeSelector, ...lists }: PodAdditions): boolean {
  const isBare = (fields: object) => Object.keys(fields).length === 0;
  return [spec, container, limits].every(isBare) && Object.values(lists).every((list) => list.length === 0);
}

function printTemplate(template: unknown, additions: PodAdditions): string {
  const { spec, ...rest } = isFields(template) ? template : {};
  const base = isPodSpec(spec) ? spec : {};
  // Without a container of that name, Spark takes the first one and puts it last; the operator's webhook changes the first of that pod.
  const otherwise = (base.containers ?? []).length > 1 ? 1 : 0;
  // Node selectors are settings.
  const withoutSelector = { ...additions, nodeSelector: {} };
  const changed = addToPod(base, withoutSelector, { names: [executorContainer, "executor"], otherwise });
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", ...rest, spec: changed }, undefined, 2);
}

/** Whether a value can be extended: its lists are lists. The plan checks everything else. */
function isPodSpec(value: unknown): value is PartialPodSpec {
  if (!isFields(value)) return false;
  const lists = ["containers", "initContainers", "volumes", "tolerations", "hostAliases"];
  return lists.every((name) => value[name] === undefined || Array.isArray(value[name]));
}
