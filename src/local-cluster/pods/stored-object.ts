import type {
  ConfigMap,
  Container,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  Secret,
  Service,
} from "../../kube/types.ts";
import type { StoredObject } from "../api/store.ts";

/** Pod as stored: it was admitted, so it has a spec and a namespace. */
export type StoredPod = StoredObject &
  Pod & { readonly metadata: { readonly namespace: string }; readonly spec: PodSpec };

/** Narrows an object of the collection `pods`. */
export function isPod(object: StoredObject): object is StoredPod {
  return object.kind === "Pod" && object.metadata.namespace !== undefined && object["spec"] !== undefined;
}

/** Lists the containers of a pod, init containers first. */
export function containersOf({ initContainers = [], containers }: PodSpec): readonly Container[] {
  return [...initContainers, ...containers];
}

/** Node as stored. */
export type StoredNode = StoredObject & Node;

/** Narrows an object of the collection `nodes`. */
export function isNode(object: StoredObject): object is StoredNode {
  return object.kind === "Node";
}

/** Narrows an object of the collection `configmaps`. */
export function isConfigMap(object: StoredObject): object is StoredObject & ConfigMap {
  return object.kind === "ConfigMap";
}

/** Narrows an object of the collection `secrets`. */
export function isSecret(object: StoredObject): object is StoredObject & Secret {
  return object.kind === "Secret";
}

/** Service as stored. */
export type StoredService = StoredObject & Service;

/** Narrows an object of the collection `services`. */
export function isService(object: StoredObject): object is StoredService {
  return object.kind === "Service";
}

/** Narrows an object of the collection `persistentvolumeclaims`. */
export function isClaim(object: StoredObject): object is StoredObject & PersistentVolumeClaim {
  return object.kind === "PersistentVolumeClaim";
}

/** Narrows an object of the collection `persistentvolumes`. */
export function isVolume(object: StoredObject): object is StoredObject & PersistentVolume {
  return object.kind === "PersistentVolume";
}
