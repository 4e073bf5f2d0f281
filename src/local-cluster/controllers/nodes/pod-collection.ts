import type { Clock } from "../../../host/host.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { Store } from "../../api/store.ts";
import { timestamp } from "../../api/timestamp.ts";
import { isPod, type StoredPod } from "../../pods/stored-pod.ts";
import { type Controller, workQueue } from "../controller.ts";
import { disruptPod } from "./disrupt-pod.ts";

/** A node that is not there may be about to come. */
const quarantineMs = 40_000;

/** Removes pods whose node is gone for good. Source: Kubernetes 1.35, pkg/controller/podgc. */
export const startPodCollection: Controller = (api) => {
  const { store } = api;
  const isAway = (node: string) => store.get("nodes", undefined, node) === undefined;
  const queue = workQueue(api, (node) => {
    for (const pod of isAway(node) ? store.list("pods") : [])
      if (isPod(pod) && pod.spec.nodeName === node) collectPod(api, pod);
  });
  const stopListening = store.follow(({ type, collection, object }) => {
    if (collection === "nodes" && type === "DELETED") queue.add(object.metadata.name, quarantineMs);
    if (collection !== "pods" || type === "DELETED" || !isPod(object)) return;
    const { nodeName = "" } = object.spec;
    if (nodeName !== "" && isAway(nodeName)) queue.add(nodeName, quarantineMs);
  });
  return () => {
    stopListening();
    queue.stop();
  };
};

/** Removes a pod that nobody runs any more, whatever its grace; watchers see before that it is Failed. */
export function collectPod(
  cluster: { readonly store: Store; readonly clock: Pick<Clock, "now"> },
  pod: StoredPod,
): void {
  const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
  if (!isFinalPhase(pod.status?.phase)) disruptPod(cluster, pod, { ...why, phase: "Failed" });
  const deletionTimestamp = timestamp(cluster.clock.now());
  // Those with finalizers stay until these are gone: a job has to count its pods.
  cluster.store.update("pods", pod.metadata.namespace, pod.metadata.name, (current) => ({
    ...current,
    metadata: { deletionTimestamp, ...current.metadata, deletionGracePeriodSeconds: 0 },
  }));
}
