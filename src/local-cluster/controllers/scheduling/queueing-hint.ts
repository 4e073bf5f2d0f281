import type { StoredObject, StoreEvent } from "../../api/store.ts";
import { isPod } from "../../pods/stored-object.ts";
import { isPlaced } from "./placed-pods.ts";

const relevantCollections: readonly string[] = ["nodes", "persistentvolumeclaims", "persistentvolumes", "namespaces"];

/**
 * Checks whether a change may make a pending pod schedulable. A pod's change matters when the pod is bound to a node, leaves it, or
 * gets other labels there.
 */
export function queueingHint({ type, collection, object, previous }: StoreEvent): boolean {
  if (collection !== "pods") return relevantCollections.includes(collection);
  const wasBound = isBoundPod(type === "DELETED" ? object : previous);
  const isBound = type !== "DELETED" && isBoundPod(object);
  return wasBound !== isBound || (isBound && object.metadata.labels !== previous?.metadata.labels);
}

function isBoundPod(object: StoredObject | undefined): boolean {
  return object !== undefined && isPod(object) && isPlaced(object);
}
