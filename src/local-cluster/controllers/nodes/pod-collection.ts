import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { ApiScope } from "../../api/call.ts";
import { disruptPod } from "../../api/pod-condition.ts";
import { timestamp } from "../../api/timestamp.ts";
import { isPod, type StoredPod } from "../../pods/stored-object.ts";
import { type Controller, startReconciler } from "../controller.ts";

/** Delay for missing nodes, which may be about to be registered. */
const quarantineMs = 40_000;

/** Deletes pods of deleted nodes. Source: Kubernetes 1.35, pkg/controller/podgc. */
export const startPodCollection: Controller = (api) => {
  const { store } = api;
  const isMissing = (node: string) => store.get("nodes", undefined, node) === undefined;
  return startReconciler(api, {
    observe({ type, collection, object }, add) {
      if (collection === "nodes" && type === "DELETED") add(object.metadata.name, quarantineMs);
      if (collection !== "pods" || type === "DELETED" || !isPod(object)) return;
      const { nodeName = "" } = object.spec;
      if (nodeName !== "" && isMissing(nodeName)) add(nodeName, quarantineMs);
    },
    work(node) {
      for (const pod of isMissing(node) ? store.list("pods") : [])
        if (isPod(pod) && pod.spec.nodeName === node) collectPod(api, pod);
    },
  });
};

/** Deletes a pod whose node no longer exists, without grace period; watchers first see it as Failed. */
export function collectPod({ store, clock }: ApiScope, pod: StoredPod): void {
  const message = "PodGC: node no longer exists";
  if (!isFinalPhase(pod.status?.phase))
    disruptPod(store, pod, { reason: "DeletionByPodGC", message, now: clock.now(), phase: "Failed" });
  const deletionTimestamp = timestamp(clock.now());
  // Pods with finalizers remain until these are removed: a job must count its pods.
  store.update("pods", pod.metadata.namespace, pod.metadata.name, (current) => ({
    ...current,
    metadata: { deletionTimestamp, ...current.metadata, deletionGracePeriodSeconds: 0 },
  }));
}
