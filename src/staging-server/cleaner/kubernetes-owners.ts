import { messageOf } from "../../errors/submit-error.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { statusOf } from "../../kube/status.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { Owners } from "../context/owners.ts";

/** Owners from the cluster: lists the pods of a namespace. If there are none, checks whether the namespace exists. */
export function kubernetesOwners(client: KubeClient): Owners {
  return {
    async fetchView(namespace, labelSelector) {
      try {
        const selected = labelSelector === undefined ? {} : { labelSelector };
        const { items } = await client.list<Pod>({ type: resourceTypes.pod, namespace, ...selected });
        if (items.length > 0 || (await namespaceExists(client, namespace))) return { kind: "pods", pods: items };
        return { kind: "gone" };
      } catch (error) {
        return { kind: "unknown", reason: messageOf(error) };
      }
    },
  };
}

/** Returns whether a namespace exists. Listing pods also succeeds in a namespace that does not exist. */
async function namespaceExists(client: KubeClient, name: string): Promise<boolean> {
  try {
    await client.get({ type: resourceTypes.namespace, name });
    return true;
  } catch (error) {
    if (statusOf(error)?.code === 404) return false;
    throw error;
  }
}
