import { type AffinityMismatch, affinityMismatch } from "../../../kube/pod-affinity.ts";
import type { StoredNode, StoredPod } from "../../pods/stored-object.ts";
import { type NodeRejection, placementOf, resolvable, type SchedulingView, unresolvable } from "./scheduling-view.ts";

const rejections: Readonly<Record<AffinityMismatch, NodeRejection>> = {
  affinity: unresolvable("node(s) didn't match pod affinity rules"),
  antiAffinity: resolvable("node(s) didn't match pod anti-affinity rules"),
  antiAffinityOfOthers: resolvable("node(s) didn't satisfy existing pods anti-affinity rules"),
};

/** Checks the required affinity and anti-affinity of a pod and the anti-affinity of other pods. */
export function affinityFailure(view: SchedulingView, pod: StoredPod, node: StoredNode): NodeRejection | undefined {
  const mismatch = affinityMismatch(placementOf(view), pod, node);
  return mismatch === undefined ? undefined : rejections[mismatch];
}
