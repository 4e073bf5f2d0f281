import type { ApiScope } from "../../../api/call.ts";
import { isPod, type StoredPod } from "../../../pods/stored-object.ts";
import { type Controller, keyOf, startReconciler } from "../../controller.ts";
import { writeStatus } from "../../create-object.ts";
import { claimObjects } from "../adoption.ts";
import { isTerminating, observeSets, ownObjects, phaseOf, removePod } from "../pods.ts";
import { revisionLabel, revisions } from "../revisions.ts";
import { byAge, createDaemonPod, isUpdated } from "./daemon-pods.ts";
import { forgetOldRevisions } from "./daemon-revisions.ts";
import { allowance, collection, component, type DaemonSetObject, isDaemonSet } from "./daemon-set-object.ts";
import { type DaemonNode, type DaemonSync, daemonNodes, isPodAvailable, isReady, startSync } from "./daemon-sync.ts";
import { type FailedPodBackOff, failedPodBackOff } from "./failed-pods.ts";
import { rollOut } from "./rolling-update.ts";

/** Runs one pod of each DaemonSet on every node that fits. Source: Kubernetes 1.35, pkg/controller/daemon. */
export const startDaemonSets: Controller = (api) => {
  const backOff = failedPodBackOff(api.clock);
  const sets = { collection, kind: "DaemonSet", dependents: "pods" };
  return startReconciler(api, {
    observe(event, add) {
      observeSets(api, sets, event, add);
      if (event.type === "DELETED" && event.collection === revisions)
        for (const owner of event.object.metadata.ownerReferences ?? [])
          if (owner.kind === sets.kind) add(`${event.object.metadata.namespace}/${owner.name}`);
      if (event.collection !== "nodes") return;
      for (const set of api.store.list(collection)) add(keyOf(set));
    },
    work(key, add) {
      const [namespace, name = ""] = key.split("/");
      const set = api.store.get(collection, namespace, name);
      if (set !== undefined && isDaemonSet(set) && !isTerminating(set))
        reconcile(api, set, { backOff, requeue: (delayMs) => add(key, delayMs) });
    },
  });
};

interface Reconciling {
  readonly backOff: FailedPodBackOff;
  readonly requeue: (delayMs: number) => void;
}

function reconcile(api: ApiScope, set: DaemonSetObject, reconciling: Reconciling): void {
  claimObjects(api, set, { collection: "pods" });
  const sync = startSync(api, set);
  try {
    for (const node of daemonNodes(sync)) manage(sync, node, reconciling);
    if (set.spec.updateStrategy?.type === "RollingUpdate") rollOut(sync);
    forgetOldRevisions(api, set, ownObjects(api.store, "pods", set).filter(isPod));
  } finally {
    updateStatus(sync, reconciling);
  }
}

/** Creates or deletes the pods of a node. */
function manage(sync: DaemonSync, node: DaemonNode, reconciling: Reconciling): void {
  const { api, set, hash } = sync;
  const create = () => createDaemonPod(api, set, { node: node.name, hash });
  const pods = node.pods.filter((pod) => !isTerminating(pod));
  if (node.node === undefined) {
    // Pods that were never scheduled there; the others are deleted because their node is lost.
    for (const pod of pods) if ((pod.spec.nodeName ?? "") === "") removePod(api, set, pod, component);
  } else if (node.shouldRun && node.pods.length === 0) create();
  else if (node.mayStay) {
    const running = removeFinished(sync, node, { pods, reconciling });
    if (running.length > 1) for (const pod of surplusOf(sync, running)) removePod(api, set, pod, component);
    if (running.length === 0 && node.shouldRun && allowance(set, 1).surge > 0) create();
  } else for (const pod of pods) removePod(api, set, pod, component);
}

/** Deletes finished pods. @returns the others */
function removeFinished(
  { api, set }: DaemonSync,
  node: DaemonNode,
  { pods, reconciling }: { readonly pods: readonly StoredPod[]; readonly reconciling: Reconciling },
): readonly StoredPod[] {
  return pods.filter((pod) => {
    const phase = phaseOf(pod);
    if (phase !== "Failed" && phase !== "Succeeded") return true;
    const waitMs = phase === "Failed" ? reconciling.backOff.delay(`${set.metadata.uid}/${node.name}`) : 0;
    if (waitMs > 0) reconciling.requeue(waitMs);
    else {
      const what = `${phase.toLowerCase()} daemon pod ${pod.metadata.namespace}/${pod.metadata.name}`;
      const message = `Found ${what} on node ${node.name}, will try to ${phase === "Failed" ? "kill" : "delete"} it`;
      const type = phase === "Failed" ? "Warning" : "Normal";
      api.events.record(set, { type, reason: `${phase}DaemonPod`, message, component });
      removePod(api, set, pod, component);
    }
    return false;
  });
}

/** Returns the pods that a node has too many. With a surge, a node may have an old and a new one. */
function surplusOf(sync: DaemonSync, running: readonly StoredPod[]): readonly StoredPod[] {
  const sorted = [...running].sort(byAge);
  if (allowance(sync.set, 1).surge === 0) return sorted.slice(1);
  const isNew = ({ metadata }: StoredPod) => metadata.labels?.[revisionLabel] === sync.hash;
  const updated = sorted.find(isNew);
  const old = sorted.find((pod) => !isNew(pod));
  const others = sorted.filter((pod) => pod !== updated && pod !== old);
  const isReplaced = updated !== undefined && old !== undefined && (!isReady(old) || isPodAvailable(sync, updated));
  return isReplaced ? [...others, old] : others;
}

function updateStatus(sync: DaemonSync, { requeue }: Reconciling): void {
  const { api, set, hash } = sync;
  const nodes = daemonNodes(sync).filter(({ node }) => node !== undefined);
  const desired = nodes.filter(({ shouldRun }) => shouldRun);
  const scheduled = desired.flatMap(({ pods }) => [...pods].sort(byAge).slice(0, 1));
  const ready = scheduled.filter(isReady).length;
  const available = scheduled.filter((pod) => isPodAvailable(sync, pod)).length;
  const updated = scheduled.filter((pod) => isUpdated(pod, set, hash)).length;
  const unavailable = desired.length - available;
  const { conditions, collisionCount } = set.status ?? {};
  writeStatus(api, collection, set, {
    currentNumberScheduled: scheduled.length,
    numberMisscheduled: nodes.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
    desiredNumberScheduled: desired.length,
    numberReady: ready,
    observedGeneration: set.metadata.generation,
    ...(updated > 0 && { updatedNumberScheduled: updated }),
    ...(available > 0 && { numberAvailable: available }),
    ...(unavailable > 0 && { numberUnavailable: unavailable }),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions !== undefined && { conditions }),
  });
  if (available < ready) requeue(1000 * Math.max(1, set.spec.minReadySeconds ?? 0));
}
