import { hasCode } from "../../errors/submit-error.ts";
import { type ResourceType, resourceTypes } from "../../kube/resources.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { BodyCall } from "../../kube-client/call.ts";
import type { KubeClient } from "../../kube-client/client.ts";

/** Types of objects that no pod mounts: a driver can start before they exist. */
const lateTypes: ReadonlySet<ResourceType> = new Set([resourceTypes.service, resourceTypes.networkPolicy]);

/** Result of `apply`. */
interface Applied<T> {
  readonly object: T;
  readonly created: boolean;
}

/**
 * Returns a client for submissions that are completed after a crash. It creates Services and NetworkPolicies with their owner, the driver's
 * pod, and thus after it. Objects that the pod mounts exist before it, and get their owner by a patch of it and the labels alone. Each
 * server-side apply of a complete object would cost the API server more than its creation.
 *
 * All attempts at a submission give their objects the same names. So an object can exist already, also by a request whose
 * response was lost, and one that existed can have been deleted.
 */
export function createOwned(client: KubeClient): KubeClient {
  async function create<T extends KubeResource>(call: BodyCall<T>): Promise<Applied<T>> {
    try {
      return { object: await client.create(call), created: true };
    } catch (error) {
      // The API checks an exhausted quota before it looks for the object.
      if (hasCode(error, "SUBMIT_ERR_KUBE_QUOTA")) return patchOwner(call, () => Promise.reject(error));
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
      return patchOwner(call);
    }
  }

  async function patchOwner<T extends KubeResource>(
    call: BodyCall<T>,
    onMissing: () => Promise<Applied<T>> = () => create(call),
  ): Promise<Applied<T>> {
    const { object, ...target } = call;
    const { name = "", ownerReferences, labels } = object.metadata;
    const patch = { metadata: { ownerReferences, labels } };
    try {
      return { object: await client.patch<T>({ ...target, name, patch }), created: false };
    } catch (error) {
      if (!hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) throw error;
      return onMissing();
    }
  }

  return {
    ...client,
    async create(call) {
      const { type, object } = call;
      if (lateTypes.has(type) && object.metadata?.ownerReferences === undefined) return object;
      return client.create(call);
    },
    apply: (call) => (lateTypes.has(call.type) ? create(call) : patchOwner(call)),
  };
}
