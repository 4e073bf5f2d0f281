import type { ApiScope } from "../../api/call.ts";
import type { StoredObject } from "../../api/store.ts";
import { deleteObject } from "../controller.ts";
import { writeStatus } from "../create-object.ts";
import { claimObjects } from "./adoption.ts";
import { isAvailable, isTerminated, isTerminating, ownObjects, phaseOf, podSetController, readySince } from "./pods.ts";
import { counts } from "./replica-sets.ts";
import { currentRevisions, isStatefulSet, type Revisions, revisionLabel, type StatefulSetObject } from "./revisions.ts";
import { createStatefulPod, transferClaims } from "./stateful-pod.ts";

const component = "statefulset-controller";

/** Runs the pods of stateful sets, each with its name and claims. */
export const startStatefulSets = podSetController<StatefulSetObject>({
  collection: "statefulsets.apps",
  kind: "StatefulSet",
  dependents: "pods",
  isOwn: isStatefulSet,
  reconcile(api, set, requeue) {
    const revisions = currentRevisions(api, set);
    claimObjects(api, set, { collection: "pods", isMember: (pod) => isMember(set, pod) });
    try {
      if (!isTerminating(set)) advance(api, set, revisions);
    } finally {
      const waitMs = updateStatus(api, set, revisions);
      if (waitMs !== undefined) requeue(waitMs);
    }
  },
});

/** Whether a pod's name is the set's name and an ordinal. */
function isMember({ metadata }: StatefulSetObject, pod: StoredObject): boolean {
  return pod.metadata.name === `${metadata.name}-${ordinalOf(pod)}`;
}

/** Parses a pod's ordinal from its name. */
function ordinalOf({ metadata }: StoredObject): number {
  return Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);
}

function podsByOrdinal({ store }: ApiScope, set: StatefulSetObject): ReadonlyMap<number, StoredObject> {
  const pods = ownObjects(store, "pods", set).map((pod) => [ordinalOf(pod), pod] as const);
  return new Map(pods.sort(([a], [b]) => a - b));
}

function ordinalsOf({ spec }: StatefulSetObject): readonly number[] {
  return Array.from({ length: spec.replicas ?? 1 }, (_, index) => (spec.ordinals?.start ?? 0) + index);
}

/** Takes the next steps: all that are possible, or one pod after the other if the set is ordered. */
function advance(api: ApiScope, set: StatefulSetObject, revisions: Revisions): void {
  const isOrdered = set.spec.podManagementPolicy !== "Parallel";
  const ordinals = ordinalsOf(set);
  for (const ordinal of ordinals) {
    const isDone = ensurePod(api, set, { ordinal, revisions });
    if (isOrdered && !isDone) return;
  }
  const excess = [...podsByOrdinal(api, set)].flatMap(([ordinal, pod]) => (ordinals.includes(ordinal) ? [] : [pod]));
  const firstUnhealthy = excess.find((pod) => !isHealthy(api, set, pod));
  for (const pod of excess.toReversed()) {
    // An ordered set waits for an unhealthy pod, except for the one that blocks all others.
    if (isOrdered && pod !== firstUnhealthy && !isHealthy(api, set, pod)) return;
    if (!isTerminating(pod)) {
      if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete") transferClaims(api, set, pod);
      removePod(api, set, pod);
    }
    if (isOrdered) return;
  }
  if (set.spec.updateStrategy?.type !== "OnDelete") rollOut(api, set, revisions);
}

/** Ensures that a pod exists. @returns whether it exists and is available */
function ensurePod(
  api: ApiScope,
  set: StatefulSetObject,
  { ordinal, revisions }: { readonly ordinal: number; readonly revisions: Revisions },
): boolean {
  const find = () => podsByOrdinal(api, set).get(ordinal);
  const pod = find();
  if (pod !== undefined && isTerminated(pod) && !isTerminating(pod)) removePod(api, set, pod);
  const current = find();
  if (current !== undefined) return isHealthy(api, set, current);
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const isOld = ordinal - (set.spec.ordinals?.start ?? 0) < partition;
  createStatefulPod(api, set, { ordinal, revision: isOld ? revisions.current : revisions.update });
  return false;
}

function isHealthy(api: ApiScope, set: StatefulSetObject, pod: StoredObject): boolean {
  return !isTerminating(pod) && isPodAvailable(api, set, pod);
}

function isPodAvailable({ clock }: ApiScope, { spec }: StatefulSetObject, pod: StoredObject): boolean {
  return phaseOf(pod) === "Running" && isAvailable(pod, spec.minReadySeconds ?? 0, clock.now());
}

function removePod(api: ApiScope, set: StatefulSetObject, pod: StoredObject): void {
  deleteObject(api, "pods", pod);
  const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
  api.events.record(set, { type: "Normal", reason: "SuccessfulDelete", message, component });
}

/** Replaces pods of an older template, the highest ordinal first, each when those above it are available. */
function rollOut(api: ApiScope, set: StatefulSetObject, { update }: Revisions): void {
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const pods = podsByOrdinal(api, set);
  for (const ordinal of ordinalsOf(set).slice(partition).reverse()) {
    const pod = pods.get(ordinal);
    if (pod === undefined || isTerminating(pod)) return;
    const isOld = pod.metadata.labels?.[revisionLabel] !== update.name;
    if (isOld) removePod(api, set, pod);
    if (isOld || !isPodAvailable(api, set, pod)) return;
  }
}

/** Updates the status. @returns ms after which it must be updated again */
function updateStatus(api: ApiScope, set: StatefulSetObject, { current, update }: Revisions): number | undefined {
  const pods = [...podsByOrdinal(api, set).values()];
  const running = pods.filter((pod) => phaseOf(pod) === "Running" && readySince(pod) !== undefined);
  const available = running.filter((pod) => isPodAvailable(api, set, pod)).length;
  const of = (revision: string) =>
    pods.filter((pod) => !isTerminating(pod) && pod.metadata.labels?.[revisionLabel] === revision).length;
  const isRolledOut =
    of(update.name) === pods.length && running.length === pods.length && pods.length === (set.spec.replicas ?? 1);
  const now = isRolledOut ? update.name : current.name;
  writeStatus(api, "statefulsets.apps", set, {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...counts({ readyReplicas: running.length, currentReplicas: of(now), updatedReplicas: of(update.name) }),
    currentRevision: now,
    updateRevision: update.name,
    collisionCount: 0,
    availableReplicas: available,
    ...(set.status?.conditions !== undefined && { conditions: set.status.conditions }),
  });
  return available < running.length ? 1000 * Math.max(1, set.spec.minReadySeconds ?? 0) : undefined;
}
