import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from "kubernetes-types/autoscaling/v2.d.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "./field-error.ts";
import { dnsLabel, pathSegment } from "./names.ts";
import { containerResourceErrors } from "./resource-names.ts";

/** API versions that a reference may have. Updates accept invalid ones that were accepted before. */
type ApiVersionRule = "any" | "valid" | "withGroup";

/**
 * Returns the errors of the spec of a HorizontalPodAutoscaler.
 *
 * @param old the stored spec; `undefined` for a new object
 */
export function autoscalerErrors(
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
): FieldError[] {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = spec;
  const lowest = old?.minReplicas === 0 ? 0 : 1;
  return [
    ...(minReplicas < lowest
      ? [invalidValue("spec.minReplicas", minReplicas, `must be greater than or equal to ${lowest}`)]
      : []),
    ...(maxReplicas < 1 ? [invalidValue("spec.maxReplicas", maxReplicas, "must be greater than 0")] : []),
    ...(maxReplicas < minReplicas
      ? [invalidValue("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`")]
      : []),
    ...referenceErrors(scaleTargetRef, "spec.scaleTargetRef", targetRule(scaleTargetRef, old?.scaleTargetRef)),
    ...metrics.flatMap((metric, index) => metricErrors(metric, `spec.metrics[${index}]`, objectRule(old))),
    ...(minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")
      ? [
          forbiddenField(
            "spec.metrics",
            "must specify at least one Object or External metric to support scaling to zero replicas",
          ),
        ]
      : []),
    ...scalingErrors(behavior?.scaleUp, "spec.behavior.scaleUp"),
    ...scalingErrors(behavior?.scaleDown, "spec.behavior.scaleDown"),
  ];
}

function targetRule(
  { kind, apiVersion }: CrossVersionObjectReference,
  old: CrossVersionObjectReference | undefined,
): ApiVersionRule {
  if (old !== undefined && old.apiVersion === apiVersion && old.kind === kind) return "any";
  return kind === "ReplicationController" ? "valid" : "withGroup";
}

function objectRule(old: HorizontalPodAutoscalerSpec | undefined): ApiVersionRule {
  const wasInvalid = (old?.metrics ?? []).some(
    ({ object }) => object !== undefined && apiVersionFault(object.describedObject, "valid") !== undefined,
  );
  return wasInvalid ? "any" : "valid";
}

function referenceErrors(reference: CrossVersionObjectReference, path: string, rule: ApiVersionRule): FieldError[] {
  const { kind = "", name = "", apiVersion = "" } = reference;
  const fault = apiVersionFault(reference, rule);
  return [
    ...segmentErrors(kind, `${path}.kind`, ""),
    ...segmentErrors(name, `${path}.name`, ""),
    ...(fault === undefined ? [] : [invalidValue(`${path}.apiVersion`, apiVersion, fault)]),
  ];
}

function apiVersionFault({ apiVersion = "" }: CrossVersionObjectReference, rule: ApiVersionRule): string | undefined {
  if (rule === "any") return undefined;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const group = parts.length === 2 ? parts[0] : "";
  return rule === "withGroup" && group === "" ? "apiVersion must specify API group" : undefined;
}

function segmentErrors(value: string, field: string, detail: string): FieldError[] {
  if (value === "") return [required(field, detail)];
  return pathSegment(value).map((fault) => invalidValue(field, value, fault));
}

/** Field of each source of metrics, in the order in which Kubernetes validates them. */
const sources = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
} as const;

type Source = keyof typeof sources;

const sourceNames = Object.keys(sources).filter(isSource);

function isSource(type: string): type is Source {
  return Object.hasOwn(sources, type);
}

function metricErrors(metric: MetricSpec, path: string, rule: ApiVersionRule): FieldError[] {
  const { type = "" } = metric;
  const present = sourceNames.filter((name) => metric[sources[name]] !== undefined);
  const [first] = present;
  const unknown = notSupported(`${path}.type`, type, [...sourceNames].sort());
  const missing = isSource(type) && !present.includes(type) ? [sources[type]] : [];
  return [
    ...(type === "" ? [required(`${path}.type`, "must specify a metric source type")] : []),
    ...(isSource(type) ? [] : [unknown]),
    ...(first === undefined ? [] : sourceErrors(metric, path, rule)[first]()),
    ...missing.map((field) => required(`${path}.${field}`, "must populate information for the given metric source")),
    ...(isSource(type) ? [] : [unknown]),
    ...(present.length === 1
      ? []
      : present
          .filter((name) => name !== type)
          .map((name) => forbiddenField(`${path}.${sources[name]}`, "must populate the given metric source only"))),
  ];
}

/** Returns the checks of a metric's sources. */
function sourceErrors(metric: MetricSpec, path: string, rule: ApiVersionRule): Record<Source, () => FieldError[]> {
  return {
    Object() {
      const { object } = metric;
      if (object === undefined) return [];
      const target = `${path}.object.target`;
      const { value, averageValue } = object.target;
      return [
        ...referenceErrors(object.describedObject, `${path}.object.describedObject`, rule),
        ...namedTargetErrors(object, `${path}.object`),
        ...(value === undefined && averageValue === undefined
          ? [required(`${target}.averageValue`, "must set either a target value or averageValue")]
          : []),
      ];
    },
    External() {
      const { external } = metric;
      if (external === undefined) return [];
      const { value, averageValue } = external.target;
      const target = `${path}.external.target`;
      const perPod = "a target value for metric";
      return [
        ...namedTargetErrors(external, `${path}.external`),
        ...(value === undefined && averageValue === undefined
          ? [required(`${target}.averageValue`, `must set either ${perPod} or a per-pod target`)]
          : []),
        ...(value !== undefined && averageValue !== undefined
          ? [forbiddenField(`${target}.value`, `may not set both ${perPod} and a per-pod target`)]
          : []),
      ];
    },
    Pods() {
      const { pods } = metric;
      if (pods === undefined) return [];
      return [
        ...namedTargetErrors(pods, `${path}.pods`),
        ...(pods.target.averageValue === undefined
          ? [required(`${path}.pods.target.averageValue`, "must specify a positive target averageValue")]
          : []),
      ];
    },
    Resource() {
      const { resource } = metric;
      if (resource === undefined) return [];
      const { name = "", target } = resource;
      return [
        ...(name === "" ? [required(`${path}.resource.name`, "must specify a resource name")] : []),
        ...resourceTargetErrors(target, `${path}.resource.target`),
      ];
    },
    ContainerResource() {
      const { containerResource } = metric;
      if (containerResource === undefined) return [];
      const { name = "", container = "", target } = containerResource;
      const own = `${path}.containerResource`;
      return [
        ...(name === ""
          ? [required(`${own}.name`, "must specify a resource name")]
          : containerResourceErrors(name, `${own}.name`)),
        ...(container === ""
          ? [required(`${own}.container`, "must specify a container")]
          : dnsLabel(container).map((fault) => invalidValue(`${own}.container`, container, fault))),
        ...resourceTargetErrors(target, `${own}.target`),
      ];
    },
  };
}

/** Returns the errors of a metric with a name. */
function namedTargetErrors(
  { metric, target }: { readonly metric: MetricIdentifier; readonly target: MetricTarget },
  path: string,
): FieldError[] {
  return [
    ...segmentErrors(metric.name ?? "", `${path}.metric.name`, "must specify a metric name"),
    ...targetErrors(target, `${path}.target`),
  ];
}

function resourceTargetErrors(target: MetricTarget, path: string): FieldError[] {
  const { averageUtilization, averageValue } = target;
  return [
    ...targetErrors(target, path),
    ...(averageUtilization === undefined && averageValue === undefined
      ? [required(`${path}.averageUtilization`, "must set either a target raw value or a target utilization")]
      : []),
    ...(averageUtilization !== undefined && averageValue !== undefined
      ? [forbiddenField(`${path}.averageValue`, "may not set both a target raw value and a target utilization")]
      : []),
  ];
}

function targetErrors(
  { type = "", value, averageValue, averageUtilization }: MetricTarget,
  path: string,
): FieldError[] {
  return [
    ...(type === "" ? [required(`${path}.type`, "must specify a metric target type")] : []),
    ...(["Utilization", "Value", "AverageValue"].includes(type)
      ? []
      : [invalidValue(`${path}.type`, type, "must be either Utilization, Value, or AverageValue")]),
    ...amountErrors(value, `${path}.value`),
    ...amountErrors(averageValue, `${path}.averageValue`),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [invalidValue(`${path}.averageUtilization`, averageUtilization, "must be greater than 0")]
      : []),
  ];
}

function amountErrors(amount: string | undefined, field: string): FieldError[] {
  if (amount === undefined || (parseQuantity(amount)?.nano ?? 0n) > 0n) return [];
  return [invalidValue(field, amount, "must be positive")];
}

/** Scaling rules. Kubernetes 1.33 added the tolerance, a quantity. */
export interface ScalingRules extends HPAScalingRules {
  readonly tolerance?: string;
}

const maxPeriodSeconds = 1800;
const maxWindowSeconds = 3600;

function scalingErrors(rules: ScalingRules | undefined, path: string): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const windowField = `${path}.stabilizationWindowSeconds`;
  const selections = ["Disabled", "Max", "Min"];
  return [
    ...(window < 0 ? [invalidValue(windowField, window, "must be greater than or equal to zero")] : []),
    ...(window > maxWindowSeconds
      ? [invalidValue(windowField, window, `must be less than or equal to ${maxWindowSeconds}`)]
      : []),
    ...(selectPolicy === undefined || selections.includes(selectPolicy)
      ? []
      : [notSupported(`${path}.selectPolicy`, selectPolicy, selections)]),
    ...(policies.length === 0 ? [required(`${path}.policies`, "must specify at least one Policy")] : []),
    ...policies.flatMap((policy, index) => policyErrors(policy, `${path}.policies[${index}]`)),
    ...(tolerance !== undefined && (parseQuantity(tolerance)?.nano ?? 0n) < 0n
      ? [invalidValue(`${path}.tolerance`, tolerance, "must be greater than or equal to 0")]
      : []),
  ];
}

function policyErrors({ type, value, periodSeconds }: HPAScalingPolicy, path: string): FieldError[] {
  const types = ["Percent", "Pods"];
  return [
    ...(types.includes(type) ? [] : [notSupported(`${path}.type`, type, types)]),
    ...(value > 0 ? [] : [invalidValue(`${path}.value`, value, "must be greater than zero")]),
    ...(periodSeconds > 0 ? [] : [invalidValue(`${path}.periodSeconds`, periodSeconds, "must be greater than zero")]),
    ...(periodSeconds > maxPeriodSeconds
      ? [invalidValue(`${path}.periodSeconds`, periodSeconds, `must be less than or equal to ${maxPeriodSeconds}`)]
      : []),
  ];
}
