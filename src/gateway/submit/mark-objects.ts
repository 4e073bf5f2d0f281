import { resourceTypes } from "../../kube/resources.ts";
import type { KubeResource, Pod } from "../../kube/types.ts";
import type { BodyCall } from "../../kube-client/call.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { gatewayLabel } from "./to-invocation.ts";

/** Label of the objects that a driver needs: `false` until the driver owns them. */
export const ownedLabel = "firesteel.dev/owned";

/** Returns the selector of the objects of a gateway whose submission was not completed. */
export function incompleteObjects(gateway: string): string {
  return `${gatewayLabel}=${gateway},${ownedLabel}=false`;
}

/**
 * Returns a client that labels the objects of a submission other than its pod, so that the next process finds those that a killed one
 * has left without an owner.
 */
export function markObjects(client: KubeClient, gateway: string): KubeClient {
  const marked = <T extends KubeResource | Pod>(call: BodyCall<T>): BodyCall<T> => {
    if (call.type === resourceTypes.pod) return call;
    const { metadata } = call.object;
    const owned = String((metadata?.ownerReferences ?? []).length > 0);
    const labels = { ...metadata?.labels, [gatewayLabel]: gateway, [ownedLabel]: owned };
    return { ...call, object: { ...call.object, metadata: { ...metadata, labels } } };
  };
  return {
    ...client,
    create: (call) => client.create(marked(call)),
    apply: (call) => client.apply(marked(call)),
  };
}
