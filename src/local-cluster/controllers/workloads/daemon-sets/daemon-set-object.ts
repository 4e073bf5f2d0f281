import type { DaemonSetSpec, DaemonSetStatus } from "kubernetes-types/apps/v1.d.ts";
import { isObject } from "../../../api/json.ts";
import type { StoredObject } from "../../../api/store.ts";
import { share } from "../deployment.ts";
import type { PodSet } from "../pods.ts";

/** A stored DaemonSet. */
export interface DaemonSetObject extends PodSet {
  readonly spec: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
}

/** Component of the controller's events. */
export const component = "daemonset-controller";

/** Collection of DaemonSets. */
export const collection = "daemonsets.apps";

/** Whether an object of the collection `daemonsets.apps` is a DaemonSet. */
export function isDaemonSet(object: StoredObject): object is DaemonSetObject {
  return object.kind === "DaemonSet" && isObject(object["spec"]);
}

/** Returns maxSurge and maxUnavailable as numbers of pods. @param desired number of nodes that need a pod */
export function allowance({ spec }: DaemonSetObject, desired: number): { surge: number; unavailable: number } {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  if (type !== "RollingUpdate") return { surge: 0, unavailable: 0 };
  const surge = share(rollingUpdate?.maxSurge, desired, Math.ceil);
  const unavailable = share(rollingUpdate?.maxUnavailable, desired, Math.ceil);
  // If both were 0, no pod could ever be replaced.
  return { surge, unavailable: surge === 0 && unavailable === 0 && desired > 0 ? 1 : unavailable };
}
