import type { StoredObject, StoreEvent } from "../../api/store.ts";
import { isPod } from "../../pods/stored-pod.ts";
import { isPlaced } from "./placed-pods.ts";

const helpful: readonly string[] = ["nodes", "persistentvolumeclaims", "persistentvolumes", "namespaces"];

/**
 * Whether a change may make room for pods that wait, or give them what they lack. A pod helps others when it takes its place, gives
 * it back, or is labelled anew there.
 */
export function queueingHint({ type, collection, object, previous }: StoreEvent): boolean {
  if (collection !== "pods") return helpful.includes(collection);
  const hadPlace = hasPlace(type === "DELETED" ? object : previous);
  const hasOne = type !== "DELETED" && hasPlace(object);
  return hadPlace !== hasOne || (hasOne && object.metadata.labels !== previous?.metadata.labels);
}

function hasPlace(object: StoredObject | undefined): boolean {
  return object !== undefined && isPod(object) && isPlaced(object);
}
