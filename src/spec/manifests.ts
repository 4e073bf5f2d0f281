import type { KubeResource, Pod } from "../kube/types.ts";

/** All objects of one submission, plain data with sorted keys: what a dry run prints and golden cases compare. */
export interface Manifests {
  readonly namespace: string;
  readonly pod: Pod;
  /** Objects that other controllers need before the pod, e.g. a PodGroup. */
  readonly preResources: readonly KubeResource[];
  /** Owned by the pod; the configuration map is the last. */
  readonly resources: readonly KubeResource[];
}
