import type {
  ConfigMap,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  Secret,
  Service,
} from "../../kube/types.ts";
import type { StoredObject } from "../api/store.ts";

/** A pod as the store has it: admitted, so that its spec and namespace are there. */
export type StoredPod = StoredObject &
  Pod & { readonly metadata: { readonly namespace: string }; readonly spec: PodSpec };

/** Narrows what the collection `pods` holds. */
export function isPod(object: StoredObject): object is StoredPod {
  return object.kind === "Pod" && object.metadata.namespace !== undefined && object["spec"] !== undefined;
}

/** Narrows what the collection `configmaps` holds. */
export function isConfigMap(object: StoredObject): object is StoredObject & ConfigMap {
  return object.kind === "ConfigMap";
}

/** Narrows what the collection `secrets` holds. */
export function isSecret(object: StoredObject): object is StoredObject & Secret {
  return object.kind === "Secret";
}

/** Narrows what the collection `services` holds. */
export function isService(object: StoredObject): object is StoredObject & Service {
  return object.kind === "Service";
}

/** Narrows what the collection `persistentvolumeclaims` holds. */
export function isClaim(object: StoredObject): object is StoredObject & PersistentVolumeClaim {
  return object.kind === "PersistentVolumeClaim";
}

/** Narrows what the collection `persistentvolumes` holds. */
export function isVolume(object: StoredObject): object is StoredObject & PersistentVolume {
  return object.kind === "PersistentVolume";
}
