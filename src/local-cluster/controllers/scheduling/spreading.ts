import { type SpreadMismatch, spreadMismatch } from "../../../kube/topology-spread.ts";
import type { StoredNode, StoredPod } from "../../pods/stored-object.ts";
import { type NodeRejection, placementOf, resolvable, type SchedulingView, unresolvable } from "./scheduling-view.ts";

const text = "node(s) didn't match pod topology spread constraints";

const rejections: Readonly<Record<SpreadMismatch, NodeRejection>> = {
  noLabel: unresolvable(`${text} (missing required label)`),
  skew: resolvable(text),
};

/** Checks a pod's topology spread constraints with `DoNotSchedule`. */
export function spreadingFailure(view: SchedulingView, pod: StoredPod, node: StoredNode): NodeRejection | undefined {
  const mismatch = spreadMismatch(placementOf(view), pod, node);
  return mismatch === undefined ? undefined : rejections[mismatch];
}
