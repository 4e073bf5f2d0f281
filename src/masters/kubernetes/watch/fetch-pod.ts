import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { findObject } from "../../../kube-client/find-object.ts";

/** Fetches a pod; `undefined` if it does not exist or another pod has its name. */
export async function fetchPod(client: KubeClient, { metadata }: Pod, signal?: AbortSignal): Promise<Pod | undefined> {
  const { name = "", namespace = "", uid } = metadata ?? {};
  const type = resourceTypes.pod;
  const found = await findObject<Pod>(client, { type, namespace, name, ...(signal !== undefined && { signal }) });
  return found?.metadata?.uid === uid ? found : undefined;
}
