/** Annotations of `autoscaling/v1` with fields that only `autoscaling/v2` has. Source: Kubernetes 1.35, pkg/apis/autoscaling. */
export const roundTrip = {
  metrics: "autoscaling.alpha.kubernetes.io/metrics",
  currentMetrics: "autoscaling.alpha.kubernetes.io/current-metrics",
  conditions: "autoscaling.alpha.kubernetes.io/conditions",
  behavior: "autoscaling.alpha.kubernetes.io/behavior",
  scaleDownTolerance: "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
  scaleUpTolerance: "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
} as const;

const names: readonly string[] = Object.values(roundTrip);

/** Returns annotations without those that conversion writes. */
export function withoutRoundTrip<T>(annotations: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !names.includes(name)));
}
