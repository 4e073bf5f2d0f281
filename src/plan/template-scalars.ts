import { isFields } from "../values/fields.ts";

/** Fields whose values are text, whatever YAML took them for. */
const textFields = new Set(["value", "sizeLimit", "cpu", "memory", "storage", "queue"]);

/** Fields that map text to text. */
const textMaps = new Set([
  "labels",
  "annotations",
  "nodeSelector",
  "matchLabels",
  "limits",
  "requests",
  "minResources",
]);

/** Fields that list text. */
const textLists = new Set(["args", "command"]);

/** Fields whose values are whole numbers; a leading zero means octal, as in file modes. */
const wholeNumberFields = new Set([
  "activeDeadlineSeconds",
  "containerPort",
  "defaultMode",
  "expirationSeconds",
  "failureThreshold",
  "fsGroup",
  "hostPort",
  "initialDelaySeconds",
  "minMember",
  "mode",
  "periodSeconds",
  "priority",
  "runAsGroup",
  "runAsUser",
  "successThreshold",
  "terminationGracePeriodSeconds",
  "timeoutSeconds",
  "tolerationSeconds",
]);

/**
 * A template of a pod or a PodGroup with scalars in the types that Kubernetes gives them: `value: 1` is the text `1`, `defaultMode: 0644`
 * is 420.
 *
 * Source: the Java client library reads templates into typed objects and is as lenient.
 */
export function withKubernetesScalars(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withKubernetesScalars);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, ofField(field, item)]));
}

function ofField(field: string, value: unknown): unknown {
  if (textFields.has(field)) return toText(value);
  if (wholeNumberFields.has(field)) return toWholeNumber(value);
  if (textLists.has(field) && Array.isArray(value)) return value.map(toText);
  if (textMaps.has(field) && isFields(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toText(item)]));
  }
  return withKubernetesScalars(value);
}

function toText(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

function toWholeNumber(value: unknown): unknown {
  if (typeof value !== "string" || !/^[0-9]+$/.test(value)) return value;
  return Number.parseInt(value, /^0[0-7]+$/.test(value) ? 8 : 10);
}
