import type { DeploymentSpec, DeploymentStatus } from "kubernetes-types/apps/v1.d.ts";
import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import type { PodSet } from "./pods.ts";

/** A stored deployment. */
export interface DeploymentObject extends PodSet {
  readonly spec: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

/** Whether an object of the collection `deployments.apps` is a deployment. */
export function isDeployment(object: StoredObject): object is DeploymentObject {
  return object.kind === "Deployment" && isObject(object["spec"]);
}

/** Returns maxSurge and maxUnavailable as numbers of pods. */
export function allowance({ spec }: DeploymentObject): { readonly surge: number; readonly unavailable: number } {
  if (spec.strategy?.type === "Recreate") return { surge: 0, unavailable: 0 };
  const { maxSurge, maxUnavailable } = spec.strategy?.rollingUpdate ?? {};
  const replicas = spec.replicas ?? 1;
  const surge = share(maxSurge, replicas, Math.ceil);
  const unavailable = Math.min(share(maxUnavailable, replicas, Math.floor), replicas);
  // If both were 0, no pod could ever be replaced.
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Resolves a number or percentage of `total`. */
export function share(value: string | number | undefined, total: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  return value?.endsWith("%") === true ? round((Number(value.slice(0, -1)) * total) / 100) : 0;
}
