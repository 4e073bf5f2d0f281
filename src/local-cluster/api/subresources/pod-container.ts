import type { PodSpec } from "../../../kube/types.ts";
import { isObject } from "../json.ts";
import { badRequest } from "../status.ts";
import type { StoredObject } from "../store.ts";

/** The spec of a stored pod. */
export function podSpecOf(pod: StoredObject): PodSpec {
  return isPodSpec(pod["spec"]) ? pod["spec"] : { containers: [] };
}

function isPodSpec(value: unknown): value is PodSpec {
  return isObject(value);
}

/** The container that is meant. @throws StatusError 400 when there is a choice, or no such container */
export function containerOf(pod: StoredObject, wanted: string): string {
  const { initContainers = [], containers } = podSpecOf(pod);
  const names = [...initContainers, ...containers].map(({ name }) => name);
  const [only] = containers;
  if (wanted === "" && containers.length === 1 && only !== undefined) return only.name;
  if (wanted === "") {
    const choice = names.join(" ");
    throw badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${choice}]`,
    );
  }
  if (names.includes(wanted)) return wanted;
  throw badRequest(`container ${wanted} is not valid for pod ${pod.metadata.name}`);
}
