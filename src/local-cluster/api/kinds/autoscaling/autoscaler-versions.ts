import { isArray, isObject, type JsonObject } from "../../json.ts";
import { valueAt } from "../../json-path.ts";
import { DecodeError, decode } from "../../schema/decode.ts";
import { structType } from "../../schema/schema.ts";
import { specPaths, statusPaths, toNewMetric, toOldMetric } from "./metric-versions.ts";
import { roundTrip, withoutRoundTrip } from "./round-trip.ts";

const types = {
  old: "autoscaling.HorizontalPodAutoscaler",
  current: "autoscalingv2.HorizontalPodAutoscaler",
  metric: "autoscaling.MetricSpec",
  metricStatus: "autoscaling.MetricStatus",
  condition: "autoscaling.HorizontalPodAutoscalerCondition",
  behavior: "autoscalingv2.HorizontalPodAutoscalerBehavior",
} as const;

/** Converts a stored HorizontalPodAutoscaler to `autoscaling/v1`: annotations have the fields that this version lacks. */
export function toOldAutoscaler(autoscaler: JsonObject): JsonObject {
  const { metadata, spec, status } = partsOf(autoscaler);
  const { scaleTargetRef, minReplicas, maxReplicas, behavior } = spec;
  const { observedGeneration, lastScaleTime, currentReplicas, desiredReplicas } = status;
  const metrics = objectsIn(spec["metrics"]);
  const currentMetrics = objectsIn(status["currentMetrics"]);
  const conditions = objectsIn(status["conditions"]);
  const utilization = metrics.map(targetUtilization).find((value) => value !== undefined);
  const others = metrics.filter((metric) => targetUtilization(metric) === undefined);
  const { object } = decode(structType(types.old), {
    apiVersion: "autoscaling/v1",
    kind: autoscaler["kind"],
    metadata: withAnnotations(metadata, {
      [roundTrip.metrics]: printList(
        types.metric,
        others.map((metric) => toOldMetric(metric, specPaths)),
      ),
      [roundTrip.currentMetrics]: printList(
        types.metricStatus,
        currentMetrics.map((metric) => toOldMetric(metric, statusPaths)),
      ),
      [roundTrip.behavior]: isObject(behavior) ? printBehavior(behavior) : undefined,
      [roundTrip.conditions]: printList(types.condition, conditions),
    }),
    spec: { scaleTargetRef, minReplicas, maxReplicas, targetCPUUtilizationPercentage: utilization },
    status: {
      ...{ observedGeneration, lastScaleTime, currentReplicas, desiredReplicas },
      currentCPUUtilizationPercentage: currentMetrics.map(currentUtilization).findLast((value) => value !== undefined),
    },
  });
  return object;
}

/** Converts a HorizontalPodAutoscaler of `autoscaling/v1` to `autoscaling/v2`, in which they are stored. */
export function toStoredAutoscaler(autoscaler: JsonObject): JsonObject {
  const { metadata, spec, status } = partsOf(autoscaler);
  const { targetCPUUtilizationPercentage: target, ...specRest } = spec;
  const { currentCPUUtilizationPercentage: current, ...statusRest } = status;
  const annotations = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const metrics = readList(types.metric, annotations[roundTrip.metrics]) ?? [];
  const currentMetrics = readList(types.metricStatus, annotations[roundTrip.currentMetrics]);
  const conditions = readList(types.condition, annotations[roundTrip.conditions]);
  const behavior = readBehavior(annotations[roundTrip.behavior]);
  const { object } = decode(structType(types.current), {
    apiVersion: "autoscaling/v2",
    kind: autoscaler["kind"],
    metadata: { ...metadata, annotations: withoutRoundTrip(annotations) },
    spec: {
      ...specRest,
      metrics: [
        ...metrics.map((metric) => toNewMetric(metric, specPaths)),
        ...(target === undefined ? [] : [cpuMetric({ target: { type: "Utilization", averageUtilization: target } })]),
      ],
      behavior,
    },
    status: {
      ...statusRest,
      conditions,
      currentMetrics:
        currentMetrics?.map((metric) => toNewMetric(metric, statusPaths)) ??
        (current === undefined ? [] : [cpuMetric({ current: { averageUtilization: current } })]),
    },
  });
  return object;
}

/** Returns a metric of the CPU usage of pods. */
function cpuMetric(part: JsonObject): JsonObject {
  return { type: "Resource", resource: { name: "cpu", ...part } };
}

/** Returns the target that `autoscaling/v1` has a field for. */
function targetUtilization(metric: JsonObject): unknown {
  return isCpu(metric) ? valueAt(metric, ["resource", "target", "averageUtilization"]) : undefined;
}

function currentUtilization(metric: JsonObject): unknown {
  return isCpu(metric) ? valueAt(metric, ["resource", "current", "averageUtilization"]) : undefined;
}

function isCpu(metric: JsonObject): boolean {
  return metric["type"] === "Resource" && valueAt(metric, ["resource", "name"]) === "cpu";
}

function partsOf({ metadata, spec, status }: JsonObject) {
  return {
    metadata: isObject(metadata) ? metadata : {},
    spec: isObject(spec) ? spec : {},
    status: isObject(status) ? status : {},
  };
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return isArray(list) ? list.filter(isObject) : [];
}

/** Adds annotations that have a value, and removes those of earlier conversions. */
function withAnnotations(metadata: JsonObject, added: Readonly<Record<string, string | undefined>>): JsonObject {
  const known = isObject(metadata["annotations"]) ? withoutRoundTrip(metadata["annotations"]) : {};
  const set = Object.entries(added).filter(([, value]) => value !== undefined);
  return { ...metadata, annotations: { ...known, ...Object.fromEntries(set) } };
}

/** Prints a list of objects of a type as JSON; `undefined` if it is empty. */
function printList(type: string, list: readonly JsonObject[]): string | undefined {
  if (list.length === 0) return undefined;
  return JSON.stringify(list.map((item) => decodePart(type, item)));
}

/** Parses a list of objects of a type; `undefined` if it is missing or invalid, as in Kubernetes. */
function readList(type: string, text: unknown): readonly JsonObject[] | undefined {
  const list = parsed(text);
  if (!isArray(list)) return undefined;
  return ifDecodable(() => list.map((item) => decodePart(type, item)));
}

/** Decodes an object that has no kind. @throws DecodeError */
function decodePart(type: string, value: unknown): JsonObject {
  const { apiVersion: _, kind: __, ...part } = decode(structType(type), value).object;
  return part;
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function ifDecodable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

const ruleFields = ["StabilizationWindowSeconds", "SelectPolicy", "Policies", "Tolerance"];
const policyFields = ["Type", "Value", "PeriodSeconds"];

/** Prints a behavior as Kubernetes does: with the names of Go's fields, and null for those that are not set. */
function printBehavior(behavior: JsonObject): string {
  const rules = (value: unknown) => {
    if (!isObject(value)) return null;
    const policies = objectsIn(value["policies"]).map((policy) => goFields(policy, policyFields));
    return goFields({ ...value, policies }, ruleFields);
  };
  return JSON.stringify({ ScaleUp: rules(behavior["scaleUp"]), ScaleDown: rules(behavior["scaleDown"]) });
}

function goFields(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, object[lowerFirst(name)] ?? null]));
}

/** Parses a behavior; `undefined` if it is missing, invalid or empty. Like Go's decoder, ignores the case of names. */
function readBehavior(text: unknown): JsonObject | undefined {
  const value = parsed(text);
  if (!isObject(value)) return undefined;
  const names = ["ScaleUp", "ScaleDown", ...ruleFields, ...policyFields].map(lowerFirst);
  const behavior = ifDecodable(() => decodePart(types.behavior, withNames(value, names, behaviorLevels)));
  return behavior !== undefined && Object.keys(behavior).length > 0 ? behavior : undefined;
}

/** Levels of a behavior: itself, its directions, their lists of policies, and the policies. */
const behaviorLevels = 4;

/** Renames the fields of a value, however their names are capitalized. */
function withNames(value: unknown, names: readonly string[], levels: number): unknown {
  if (levels === 0) return value;
  if (isArray(value)) return value.map((item) => withNames(item, names, levels - 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const known = names.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
      return known === undefined ? [] : [[known, withNames(inner, names, levels - 1)]];
    }),
  );
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
