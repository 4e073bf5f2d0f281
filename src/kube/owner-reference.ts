import type { KubeResource, ObjectMeta } from "./types.ts";

/** Fields of a pod in an API response that an owner reference needs. */
export interface Owner {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/**
 * Makes the pod the only owner of the object, so that it is deleted with the pod.
 *
 * Source: Spark KubernetesUtils.addOwnerReference: `controller: true` and no `blockOwnerDeletion`.
 */
export function ownedBy(resource: KubeResource, { apiVersion = "v1", kind = "Pod", metadata }: Owner): KubeResource {
  const owner = { apiVersion, controller: true, kind, name: metadata?.name ?? "", uid: metadata?.uid ?? "" };
  return { ...resource, metadata: { ...resource.metadata, ownerReferences: [owner] } };
}
