import { hasCode } from "../../errors/submit-error.ts";
import { type ResourceType, resourceTypes } from "../../kube/resources.ts";
import type { KubeClient } from "../../kube-client/client.ts";

/** Types of objects that no pod mounts: a driver can start before they exist. */
const lateTypes: ReadonlySet<ResourceType> = new Set([resourceTypes.service, resourceTypes.networkPolicy]);

/**
 * Returns a client for submissions that are completed after a crash. It creates Services and NetworkPolicies with their owner, the driver's
 * pod, and thus after it. Objects that the pod mounts still exist before it, and get their owner by a patch of it and the labels alone. Each
 * server-side apply of a complete object would cost the API server more than its creation.
 */
export function createOwned(client: KubeClient): KubeClient {
  const withoutOwner = new Set<string>();
  return {
    ...client,
    async create(call) {
      const { type, namespace, object } = call;
      const { name = "", ownerReferences } = object.metadata ?? {};
      if (lateTypes.has(type) && ownerReferences === undefined) return object;
      const created = await client.create(call);
      withoutOwner.add(keyOf({ type, namespace, name }));
      return created;
    },
    async apply(call) {
      const { type, namespace, object, signal } = call;
      const { name = "", ownerReferences, labels } = object.metadata;
      if (withoutOwner.has(keyOf({ type, namespace, name }))) {
        const patch = { metadata: { ownerReferences, labels } };
        const target = { type, name, ...(namespace !== undefined && { namespace }), ...(signal && { signal }) };
        return { object: await client.patch({ ...target, patch }), created: false };
      }
      if (!lateTypes.has(type)) return client.apply(call);
      try {
        return { object: await client.create(call), created: true };
      } catch (error) {
        // Another attempt at the same submission has created it.
        if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
        return client.apply(call);
      }
    },
  };
}

interface ObjectName {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
}

function keyOf({ type, namespace, name }: ObjectName): string {
  return `${type.plural}/${namespace ?? ""}/${name}`;
}
