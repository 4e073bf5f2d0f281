import type { Taint, Toleration } from "kubernetes-types/core/v1.d.ts";
import type { StoredPod } from "../../pods/stored-object.ts";

/** Whether a pod does not tolerate one of the taints that prevent its scheduling. */
export function isRepelled({ spec: { tolerations = [] } }: StoredPod, taints: readonly Taint[]): boolean {
  return taints
    .filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute")
    .some((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
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
