import { messageOf } from "../../errors/submit-error.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { statusOf } from "../../kube/status.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { Owners } from "../owners.ts";

/** Owners as the cluster knows them: one list a namespace, and a look at the namespace itself where that is empty. */
export function kubernetesOwners(client: KubeClient): Owners {
  return {
    async look(namespace, labelSelector) {
      try {
        const selected = labelSelector === undefined ? {} : { labelSelector };
        const { items } = await client.list<Pod>({ type: resourceTypes.pod, namespace, ...selected });
        if (items.length > 0 || (await isThere(client, namespace))) return { kind: "pods", pods: items };
        return { kind: "gone" };
      } catch (error) {
        return { kind: "unknown", reason: messageOf(error) };
      }
    },
  };
}

/** The pods of a namespace that is not there can be listed, too. */
async function isThere(client: KubeClient, name: string): Promise<boolean> {
  try {
    await client.get({ type: resourceTypes.namespace, name });
    return true;
  } catch (error) {
    if (statusOf(error)?.code === 404) return false;
    throw error;
  }
}
