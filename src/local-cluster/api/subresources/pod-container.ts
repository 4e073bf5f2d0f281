import type { PodSpec } from "../../../kube/types.ts";
import { isObject } from "../json.ts";
import { badRequest } from "../status.ts";
import type { StoredObject } from "../store.ts";

/** Returns the spec of a stored pod. */
export function podSpecOf(pod: StoredObject): PodSpec {
  return isPodSpec(pod["spec"]) ? pod["spec"] : { containers: [] };
}

function isPodSpec(value: unknown): value is PodSpec {
  return isObject(value);
}

/** Returns the requested container. @throws StatusError 400 if it is ambiguous or does not exist */
export function containerOf(pod: StoredObject, requested: string): string {
  const { initContainers = [], containers } = podSpecOf(pod);
  const names = [...initContainers, ...containers].map(({ name }) => name);
  const [only] = containers;
  if (requested === "" && containers.length === 1 && only !== undefined) return only.name;
  if (requested === "") {
    const choice = names.join(" ");
    throw badRequest(`a container name must be specified for pod ${pod.metadata.name}, choose one of: [${choice}]`);
  }
  if (names.includes(requested)) return requested;
  throw badRequest(`container ${requested} is not valid for pod ${pod.metadata.name}`);
}
