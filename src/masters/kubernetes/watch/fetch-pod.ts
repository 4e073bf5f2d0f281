import { hasCode } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** Fetches a pod; `undefined` if it does not exist or another pod has its name. */
export async function fetchPod(client: KubeClient, { metadata }: Pod, signal?: AbortSignal): Promise<Pod | undefined> {
  const { name = "", namespace = "", uid } = metadata ?? {};
  try {
    const type = resourceTypes.pod;
    const found = await client.get<Pod>({ type, namespace, name, ...(signal !== undefined && { signal }) });
    return found.metadata?.uid === uid ? found : undefined;
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}
