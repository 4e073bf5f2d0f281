import type { Clock } from "../../../host/host.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { Store } from "../../api/store.ts";
import { timestamp } from "../../api/timestamp.ts";
import { isPod, type StoredPod } from "../../pods/stored-pod.ts";
import { type Controller, workQueue } from "../controller.ts";
import { disruptPod } from "./disrupt-pod.ts";

/** Delay for missing nodes, which may be about to be registered. */
const quarantineMs = 40_000;

/** Deletes pods of deleted nodes. Source: Kubernetes 1.35, pkg/controller/podgc. */
export const startPodCollection: Controller = (api) => {
  const { store } = api;
  const isMissing = (node: string) => store.get("nodes", undefined, node) === undefined;
  const queue = workQueue(api, (node) => {
    for (const pod of isMissing(node) ? store.list("pods") : [])
      if (isPod(pod) && pod.spec.nodeName === node) collectPod(api, pod);
  });
  const stopListening = store.follow(({ type, collection, object }) => {
    if (collection === "nodes" && type === "DELETED") queue.add(object.metadata.name, quarantineMs);
    if (collection !== "pods" || type === "DELETED" || !isPod(object)) return;
    const { nodeName = "" } = object.spec;
    if (nodeName !== "" && isMissing(nodeName)) queue.add(nodeName, quarantineMs);
  });
  return () => {
    stopListening();
    queue.stop();
  };
};

/** Deletes a pod whose node no longer exists, without grace period; watchers first see it as Failed. */
export function collectPod(
  cluster: { readonly store: Store; readonly clock: Pick<Clock, "now"> },
  pod: StoredPod,
): void {
  const cause = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
  if (!isFinalPhase(pod.status?.phase)) disruptPod(cluster, pod, { ...cause, phase: "Failed" });
  const deletionTimestamp = timestamp(cluster.clock.now());
  // Pods with finalizers remain until these are removed: a job must count its pods.
  cluster.store.update("pods", pod.metadata.namespace, pod.metadata.name, (current) => ({
    ...current,
    metadata: { deletionTimestamp, ...current.metadata, deletionGracePeriodSeconds: 0 },
  }));
}
