import type { ReplicaSetSpec, ReplicaSetStatus } from "kubernetes-types/apps/v1.d.ts";
import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import type { ApiScope } from "../../api/verbs/call.ts";
import { recordEvent, writeStatus } from "../create-object.ts";
import {
  createPod,
  deletePod,
  isActive,
  isAvailable,
  isTerminated,
  isTerminating,
  ownObjects,
  type PodSet,
  phaseOf,
  podSetController,
  readySince,
} from "./pods.ts";

/** A replica set as it is stored. */
export interface ReplicaSetObject extends PodSet {
  readonly spec: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus & { readonly terminatingReplicas?: number };
}

const component = "replicaset-controller";

/** As many are made in one go at most. */
const burst = 500;

/** Narrows what the collection `replicasets.apps` holds. */
export function isReplicaSet(object: StoredObject): object is ReplicaSetObject {
  return object.kind === "ReplicaSet" && isObject(object["spec"]);
}

/** Keeps as many pods running as replica sets want. */
export const startReplicaSets = podSetController<ReplicaSetObject>({
  collection: "replicasets.apps",
  kind: "ReplicaSet",
  dependents: "pods",
  isOwn: isReplicaSet,
  reconcile(api, set, requeue) {
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
    const wish = { generateName: `${set.metadata.name}-` };
    for (let count = 0; count < Math.min(missing, burst); count++) {
      const name = createPod(api, set, set.spec.template, { wish, component });
      tell(api, set, "SuccessfulCreate", `Created pod: ${name}`);
    }
  }
  for (const pod of [...active].sort(byWorth).slice(0, Math.max(0, -missing))) {
    deletePod(api, pod);
    tell(api, set, "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
  }
}

function tell(api: ApiScope, set: ReplicaSetObject, reason: string, message: string): void {
  recordEvent(api, set, { type: "Normal", reason, message, component });
}

/** The pods that are missed least come first: not placed, not running, not ready, ready for a short time. */
function byWorth(a: StoredObject, b: StoredObject): number {
  const worth = (pod: StoredObject) => [
    Number(isObject(pod["spec"]) && pod["spec"]["nodeName"] !== undefined),
    ["Pending", "Unknown", "Running"].indexOf(phaseOf(pod)),
    Number(readySince(pod) !== undefined),
    -(readySince(pod) ?? 0),
    -Date.parse(pod.metadata.creationTimestamp ?? ""),
  ];
  const [left, right] = [worth(a), worth(b)];
  const differences = left.map((value, index) => value - (right[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** @returns after how many ms it must be told anew */
function updateStatus(api: ApiScope, set: ReplicaSetObject): number | undefined {
  const pods = ownObjects(api.store, "pods", set);
  const active = pods.filter(isActive);
  const { minReadySeconds = 0, template } = set.spec;
  const now = api.clock.now();
  const ready = active.filter((pod) => readySince(pod) !== undefined).length;
  const available = active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length;
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const labeled = active.filter(({ metadata }) =>
    labels.every(([key, value]) => metadata.labels?.[key] === value),
  );
  writeStatus(api, "replicasets.apps", set, {
    replicas: active.length,
    ...counts({ fullyLabeledReplicas: labeled.length, readyReplicas: ready, availableReplicas: available }),
    terminatingReplicas: pods.filter((pod) => isTerminating(pod) && !isTerminated(pod)).length,
    observedGeneration: set.metadata.generation,
  });
  return available < ready ? 1000 * Math.max(1, minReadySeconds) : undefined;
}

/** Counts that are left out when there are none. */
export function counts(all: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0));
}
