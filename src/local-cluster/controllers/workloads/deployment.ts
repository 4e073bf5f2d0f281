import type { DeploymentSpec, DeploymentStatus } from "kubernetes-types/apps/v1.d.ts";
import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import type { PodSet } from "./pods.ts";

/** A deployment as it is stored. */
export interface DeploymentObject extends PodSet {
  readonly spec: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

/** Narrows what the collection `deployments.apps` holds. */
export function isDeployment(object: StoredObject): object is DeploymentObject {
  return object.kind === "Deployment" && isObject(object["spec"]);
}

/** How many pods more than wanted there may be in a rolling update, and how many fewer may serve. */
export function allowance({ spec }: DeploymentObject): {
  readonly surge: number;
  readonly unavailable: number;
} {
  if (spec.strategy?.type === "Recreate") return { surge: 0, unavailable: 0 };
  const { maxSurge, maxUnavailable } = spec.strategy?.rollingUpdate ?? {};
  const replicas = spec.replicas ?? 1;
  const surge = share(maxSurge, replicas, Math.ceil);
  const unavailable = Math.min(share(maxUnavailable, replicas, Math.floor), replicas);
  // With neither, nothing could ever be replaced.
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** A number, or a percentage of one. */
export function share(
  value: string | number | undefined,
  whole: number,
  round: (value: number) => number,
): number {
  if (typeof value === "number") return value;
  return value?.endsWith("%") === true ? round((Number(value.slice(0, -1)) * whole) / 100) : 0;
}
