import { isArray, isObject } from "../api/json.ts";
import type { StoredObject } from "../api/store.ts";
import { type Controller, dropFinalizer, startReconciler } from "./controller.ts";
import { isTerminated } from "./workloads/pods.ts";

const finalizer = "kubernetes.io/pvc-protection";
const volumeFinalizer = "kubernetes.io/pv-protection";

/** Protects volumes from deletion while they are bound to a claim. Source: Kubernetes 1.35, pkg/controller/volume/pvprotection. */
export const startVolumeProtection: Controller = (api) =>
  startReconciler(api, {
    observe({ type, collection, object }, add) {
      const isTerminating = object.metadata.deletionTimestamp !== undefined;
      if (collection === "persistentvolumes" && type !== "DELETED" && isTerminating) add(object.metadata.name);
    },
    work(name) {
      const volume = api.store.get("persistentvolumes", undefined, name);
      if (volume?.metadata.deletionTimestamp === undefined) return;
      const { status } = volume;
      const isBound = isObject(status) && status["phase"] === "Bound";
      if (!isBound) dropFinalizer(api, "persistentvolumes", volume, volumeFinalizer);
    },
  });

/** Protects claims from deletion while a pod that may still run uses them. */
export const startClaimProtection: Controller = (api) =>
  startReconciler(api, {
    observe({ collection, object }, add) {
      const { namespace, deletionTimestamp } = object.metadata;
      const isTerminatingClaim = collection === "persistentvolumeclaims" && deletionTimestamp !== undefined;
      const isUser = collection === "pods" && claimsOf(object).length > 0;
      if (namespace !== undefined && (isTerminatingClaim || isUser)) add(namespace);
    },
    work(namespace) {
      for (const claim of api.store.list("persistentvolumeclaims", namespace)) {
        const { deletionTimestamp, finalizers = [], name } = claim.metadata;
        if (deletionTimestamp === undefined || !finalizers.includes(finalizer)) continue;
        const pods = api.store.list("pods", namespace);
        const isUsed = pods.some((pod) => !isTerminated(pod) && claimsOf(pod).includes(name));
        if (!isUsed) dropFinalizer(api, "persistentvolumeclaims", claim, finalizer);
      }
    },
  });

function claimsOf({ spec }: StoredObject): string[] {
  const volumes = isObject(spec) && isArray(spec["volumes"]) ? spec["volumes"] : [];
  return volumes.flatMap((volume) => {
    const claim = isObject(volume) ? volume["persistentVolumeClaim"] : undefined;
    return isObject(claim) && typeof claim["claimName"] === "string" ? [claim["claimName"]] : [];
  });
}
