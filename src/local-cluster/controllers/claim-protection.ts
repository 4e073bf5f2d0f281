import { isFinalPhase } from "../../kube/pod-phase.ts";
import { isArray, isObject } from "../api/json.ts";
import type { StoredObject } from "../api/store.ts";
import { type Controller, dropFinalizer, workQueue } from "./controller.ts";

const finalizer = "kubernetes.io/pvc-protection";

/** Protects claims from deletion while a pod that may still run uses them. */
export const startClaimProtection: Controller = (api) => {
  const { store } = api;
  const queue = workQueue(api, (namespace) => {
    for (const claim of store.list("persistentvolumeclaims", namespace)) {
      const { deletionTimestamp, finalizers = [], name } = claim.metadata;
      if (deletionTimestamp === undefined || !finalizers.includes(finalizer)) continue;
      const isUsed = store.list("pods", namespace).some((pod) => !isTerminated(pod) && claimsOf(pod).includes(name));
      if (!isUsed) dropFinalizer(api, "persistentvolumeclaims", claim, finalizer);
    }
  });
  const stopListening = store.follow(({ collection, object }) => {
    const { namespace, deletionTimestamp } = object.metadata;
    const isTerminatingClaim = collection === "persistentvolumeclaims" && deletionTimestamp !== undefined;
    if (namespace !== undefined && (isTerminatingClaim || (collection === "pods" && claimsOf(object).length > 0))) {
      queue.add(namespace);
    }
  });
  return () => {
    stopListening();
    queue.stop();
  };
};

function claimsOf({ spec }: StoredObject): string[] {
  const volumes = isObject(spec) && isArray(spec["volumes"]) ? spec["volumes"] : [];
  return volumes.flatMap((volume) => {
    const claim = isObject(volume) ? volume["persistentVolumeClaim"] : undefined;
    return isObject(claim) && typeof claim["claimName"] === "string" ? [claim["claimName"]] : [];
  });
}

function isTerminated({ status }: StoredObject): boolean {
  return isObject(status) && isFinalPhase(status["phase"]);
}
