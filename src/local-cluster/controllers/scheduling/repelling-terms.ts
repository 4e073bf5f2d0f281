import type { PodAffinityTerm } from "kubernetes-types/core/v1.d.ts";
import type { StoredPod } from "../../pods/stored-pod.ts";

/** Returns the required anti-affinity terms of a pod. */
export function antiAffinityTerms({ spec }: StoredPod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}
