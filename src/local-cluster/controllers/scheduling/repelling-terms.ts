import type { PodAffinityTerm } from "kubernetes-types/core/v1.d.ts";
import type { StoredPod } from "../../pods/stored-pod.ts";

/** Which other pods a pod wants to be away from, come what may. */
export function antiAffinityTerms({ spec }: StoredPod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}
