import { isObject, type JsonObject } from "../../json.ts";
import { valueAt, withValueAt } from "../../json-path.ts";

/** Paths in `autoscaling/v2` of the fields that a part of a metric has in `autoscaling/v1`. */
type FieldPaths = Readonly<Record<string, readonly string[]>>;

/** The parts of a metric by the field that has them, which both versions name alike. */
type PartPaths = Readonly<Record<string, FieldPaths>>;

const name = ["metric", "name"];
const selector = ["metric", "selector"];

/** Differences between the versions of a metric in a spec. Source: Kubernetes 1.35, pkg/apis/autoscaling/v1. */
export const specPaths: PartPaths = {
  object: {
    target: ["describedObject"],
    metricName: name,
    selector,
    targetValue: ["target", "value"],
    averageValue: ["target", "averageValue"],
  },
  pods: { metricName: name, selector, targetAverageValue: ["target", "averageValue"] },
  resource: {
    name: ["name"],
    targetAverageUtilization: ["target", "averageUtilization"],
    targetAverageValue: ["target", "averageValue"],
  },
  containerResource: {
    name: ["name"],
    container: ["container"],
    targetAverageUtilization: ["target", "averageUtilization"],
    targetAverageValue: ["target", "averageValue"],
  },
  external: {
    metricName: name,
    metricSelector: selector,
    targetValue: ["target", "value"],
    targetAverageValue: ["target", "averageValue"],
  },
};

/** Differences between the versions of a metric in a status. */
export const statusPaths: PartPaths = {
  object: {
    target: ["describedObject"],
    metricName: name,
    selector,
    currentValue: ["current", "value"],
    averageValue: ["current", "averageValue"],
  },
  pods: { metricName: name, selector, currentAverageValue: ["current", "averageValue"] },
  resource: {
    name: ["name"],
    currentAverageUtilization: ["current", "averageUtilization"],
    currentAverageValue: ["current", "averageValue"],
  },
  containerResource: {
    name: ["name"],
    container: ["container"],
    currentAverageUtilization: ["current", "averageUtilization"],
    currentAverageValue: ["current", "averageValue"],
  },
  external: {
    metricName: name,
    metricSelector: selector,
    currentValue: ["current", "value"],
    currentAverageValue: ["current", "averageValue"],
  },
};

/** Converts a metric to `autoscaling/v1`. */
export function toOldMetric(metric: JsonObject, parts: PartPaths): JsonObject {
  return convertParts(metric, parts, (part, paths) =>
    Object.fromEntries(Object.entries(paths).map(([field, path]) => [field, valueAt(part, path)])),
  );
}

/** Converts a metric to `autoscaling/v2`. */
export function toNewMetric(metric: JsonObject, parts: PartPaths): JsonObject {
  return convertParts(metric, parts, (part, paths, source) => {
    const type = parts === specPaths ? { target: { type: targetType(source, part) } } : {};
    const known = Object.entries(paths).filter(([field]) => part[field] !== undefined);
    return known.reduce<JsonObject>((sum, [field, path]) => withValueAt(sum, path, part[field]), type);
  });
}

function convertParts(
  metric: JsonObject,
  parts: PartPaths,
  convert: (part: JsonObject, paths: FieldPaths, source: string) => JsonObject,
): JsonObject {
  const own = Object.entries(parts).flatMap(([source, paths]) => {
    const part = metric[source];
    return isObject(part) ? [[source, convert(part, paths, source)] as const] : [];
  });
  return { type: metric["type"], ...Object.fromEntries(own) };
}

/** Returns the type of a target, which `autoscaling/v1` does not state. */
function targetType(source: string, part: JsonObject): string {
  switch (source) {
    case "object":
      return part["averageValue"] === undefined ? "Value" : "AverageValue";
    case "external":
      return part["targetValue"] === undefined ? "AverageValue" : "Value";
    default:
      return part["targetAverageUtilization"] === undefined ? "AverageValue" : "Utilization";
  }
}
