import type { Taint, Toleration } from "kubernetes-types/core/v1.d.ts";
import type { PodSpec } from "./types.ts";

/** Whether a pod does not tolerate one of the taints that prevent its scheduling. */
export function isRepelled(pod: { readonly spec: PodSpec }, taints: readonly Taint[]): boolean {
  return repellingTaints(pod, taints).length > 0;
}

/** Returns the taints that prevent the scheduling of a pod because it does not tolerate them. */
export function repellingTaints(
  { spec: { tolerations = [] } }: { readonly spec: PodSpec },
  taints: readonly Taint[],
): readonly Taint[] {
  return taints
    .filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute")
    .filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** Whether a toleration matches a taint. Source: Kubernetes; numeric operators are disabled by default. */
export function tolerates(
  { key = "", operator = "Equal", value = "", effect = "" }: Toleration,
  taint: Taint,
): boolean {
  const isOfEffect = effect === "" || effect === taint.effect;
  const isOfKey = key === "" ? operator === "Exists" : key === taint.key;
  return isOfEffect && isOfKey && (operator === "Exists" || value === (taint.value ?? ""));
}
