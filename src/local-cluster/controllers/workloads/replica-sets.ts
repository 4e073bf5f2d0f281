import type { ReplicaSetSpec, ReplicaSetStatus } from "kubernetes-types/apps/v1.d.ts";
import type { ApiScope } from "../../api/call.ts";
import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import { writeStatus } from "../create-object.ts";
import { claimObjects } from "./adoption.ts";
import { byDeletionPriority } from "./deletion-priority.ts";
import {
  addPod,
  isActive,
  isAvailable,
  isTerminated,
  isTerminating,
  ownObjects,
  type PodSet,
  podSetController,
  readySince,
  removePod,
} from "./pods.ts";

/** A stored replica set. */
export interface ReplicaSetObject extends PodSet {
  readonly spec: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus & { readonly terminatingReplicas?: number };
}

const component = "replicaset-controller";

/** Maximum number of pods created in one reconciliation. */
const maxBurst = 500;

/** Whether an object of the collection `replicasets.apps` is a replica set. */
export function isReplicaSet(object: StoredObject): object is ReplicaSetObject {
  return object.kind === "ReplicaSet" && isObject(object["spec"]);
}

/** Keeps the number of pods that replica sets specify. */
export const startReplicaSets = podSetController<ReplicaSetObject>({
  collection: "replicasets.apps",
  kind: "ReplicaSet",
  dependents: "pods",
  isOwn: isReplicaSet,
  reconcile(api, set, requeue) {
    claimObjects(api, set, { collection: "pods", isEligible: isActive });
    try {
      if (!isTerminating(set)) scale(api, set);
    } finally {
      const waitMs = updateStatus(api, set);
      if (waitMs !== undefined) requeue(waitMs);
    }
  },
});

function scale(api: ApiScope, set: ReplicaSetObject): void {
  const active = ownObjects(api.store, "pods", set).filter(isActive);
  const missing = (set.spec.replicas ?? 1) - active.length;
  if (missing > 0 && set.spec.template !== undefined) {
    const overrides = { generateName: `${set.metadata.name}-` };
    for (let count = 0; count < Math.min(missing, maxBurst); count++) {
      addPod(api, set, set.spec.template, { overrides, component });
    }
  }
  for (const pod of [...active].sort(byDeletionPriority).slice(0, Math.max(0, -missing)))
    removePod(api, set, pod, component);
}

/** Updates the status. @returns ms after which it must be updated again */
function updateStatus(api: ApiScope, set: ReplicaSetObject): number | undefined {
  const pods = ownObjects(api.store, "pods", set);
  const active = pods.filter(isActive);
  const { minReadySeconds = 0, template } = set.spec;
  const now = api.clock.now();
  const ready = active.filter((pod) => readySince(pod) !== undefined).length;
  const available = active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length;
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const labeled = active.filter(({ metadata }) => labels.every(([key, value]) => metadata.labels?.[key] === value));
  writeStatus(api, "replicasets.apps", set, {
    replicas: active.length,
    ...counts({ fullyLabeledReplicas: labeled.length, readyReplicas: ready, availableReplicas: available }),
    terminatingReplicas: pods.filter((pod) => isTerminating(pod) && !isTerminated(pod)).length,
    observedGeneration: set.metadata.generation,
    ...(set.status?.conditions !== undefined && { conditions: set.status.conditions }),
  });
  return available < ready ? 1000 * Math.max(1, minReadySeconds) : undefined;
}

/** Returns the counts without zeros, which Kubernetes omits. */
export function counts(all: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0));
}
