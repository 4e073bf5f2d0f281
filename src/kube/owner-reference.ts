import type { KubeResource, ObjectMeta, OwnerReference } from "./types.ts";

/** An object as the API answered it: what a reference to it needs. */
export interface Owner {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/**
 * The reference that makes a driver pod the owner of an object: the object goes when the pod goes.
 *
 * `undefined` when the owner was not created yet (it has no uid). Source: Spark KubernetesUtils.addOwnerReference:
 * `controller: true` and no `blockOwnerDeletion`.
 */
export function ownerReferenceTo(owner: Owner): OwnerReference | undefined {
  const { name, uid } = owner.metadata ?? {};
  if (name === undefined || uid === undefined) return undefined;
  return { apiVersion: owner.apiVersion ?? "v1", controller: true, kind: owner.kind ?? "Pod", name, uid };
}

/** The object with this reference as its only owner. */
export function ownedBy<T extends KubeResource>(resource: T, owner: OwnerReference): T {
  return { ...resource, metadata: { ...resource.metadata, ownerReferences: [owner] } };
}
