import type { Pod } from "../../../kube/types.ts";

/** The watch of a pod of no known version tells first how it is now: of one that has ended nothing else would come. */
export function withoutResourceVersion(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: "" } };
}
