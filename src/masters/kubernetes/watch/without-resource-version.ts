import type { Pod } from "../../../kube/types.ts";

/** Clears the resource version, so that a watch sends the current state first. A pod that has ended sends no other event. */
export function withoutResourceVersion(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: "" } };
}
