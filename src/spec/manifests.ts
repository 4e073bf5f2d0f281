import type { KubeResource, Pod } from "../kube/types.ts";

/**
 * Objects of one submission as plain data with sorted keys, which a dry run prints and golden cases compare.
 *
 * @example
 * ```ts
 * const kindsOf = ({ resources }: Manifests) => resources.map(({ kind }) => kind);
 * ```
 */
export interface Manifests {
  readonly namespace: string;
  readonly pod: Pod;
  /** Objects that other controllers need before the pod, e.g. a PodGroup. */
  readonly preResources: readonly KubeResource[];
  /** Objects that the pod owns; the ConfigMap with the settings is the last. */
  readonly resources: readonly KubeResource[];
}
