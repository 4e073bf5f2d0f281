import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "kubernetes-types/autoscaling/v2.d.ts";

const maxShown = 2;

/** Prints the current values and targets of metrics, e.g. `cpu: <unknown>/80%, 3/5 + 1 more...`. */
export function metricsText(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (metrics.length === 0) return "<none>";
  const texts = metrics.map((metric, index) => metricText(metric, statuses[index]));
  const shown = texts.slice(0, maxShown).join(", ");
  return texts.length > maxShown ? `${shown} + ${texts.length - maxShown} more...` : shown;
}

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { type, external, pods, object, resource, containerResource } = metric;
  switch (type) {
    case "External":
      return amountText(external?.target, status?.external?.current);
    case "Object":
      return amountText(object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current.averageValue ?? unknown}/${pods?.target.averageValue ?? ""}`;
    case "Resource":
      return `${resource?.name}: ${usageText(resource?.target, status?.resource?.current)}`;
    case "ContainerResource":
      return `${containerResource?.name}: ${usageText(containerResource?.target, status?.containerResource?.current)}`;
    default:
      return "<unknown type>";
  }
}

const unknown = "<unknown>";

/** Prints the target of a metric that is a value, or an average of all pods. */
function amountText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target?.value ?? ""}`;
}

/** Prints the target of a resource. */
function usageText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue}`;
  return `${percentText(current?.averageUtilization) ?? unknown}/${percentText(target?.averageUtilization) ?? "<auto>"}`;
}

function percentText(share: number | undefined): string | undefined {
  return share === undefined ? undefined : `${share}%`;
}
