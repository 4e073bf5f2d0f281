import type { Taint, Toleration } from "kubernetes-types/core/v1.d.ts";
import type { StoredPod } from "../../pods/stored-pod.ts";
import type { StoredNode } from "./scheduling-view.ts";

/** Whether a node has taints that a pod does not tolerate. */
export function isTainted({ spec: { tolerations = [] } }: StoredPod, { spec }: StoredNode): boolean {
  return (spec?.taints ?? [])
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
