import type { Container, PodSpec } from "../../kube/types.ts";
import type { PodAdditions } from "./pod-additions.ts";

/** A pod's spec, or the spec of a template, whose containers may be absent. */
export type PartialPodSpec = Partial<PodSpec>;

/** Container of a pod that the fields of a role change. */
interface ChangedContainer {
  /** Names of Spark's container. */
  readonly names: readonly string[];
  /** Index of the container without one of these names. */
  readonly otherwise: number;
}

/** Adds to a pod's spec what the fields of a role determine. */
export function addToPod(
  spec: PartialPodSpec,
  additions: PodAdditions,
  { names, otherwise }: ChangedContainer,
): PartialPodSpec & { readonly containers: Container[] } {
  const { containers = [{ name: names[0] ?? "" }], ...rest } = replaced(spec, additions.spec);
  const named = containers.findIndex(({ name }) => names.includes(name));
  const changed = named >= 0 ? named : otherwise;
  const initContainers = withContainers(rest.initContainers, additions.initContainers);
  return {
    ...rest,
    ...appended("volumes", rest.volumes, additions.volumes),
    ...appended("tolerations", rest.tolerations, additions.tolerations),
    ...appended("hostAliases", rest.hostAliases, additions.hostAliases),
    ...(initContainers.length > 0 && { initContainers }),
    ...(Object.keys(additions.nodeSelector).length > 0 && {
      nodeSelector: { ...rest.nodeSelector, ...additions.nodeSelector },
    }),
    containers: withContainers(
      containers.map((container, index) => (index === changed ? addToContainer(container, additions) : container)),
      additions.sidecars,
    ),
  };
}

/** Replaces fields. The admission of the cluster fills in the priority of a class. */
function replaced(spec: PartialPodSpec, changes: Partial<PodSpec>): PartialPodSpec {
  if (changes.priorityClassName === undefined) return { ...spec, ...changes };
  const { priority, preemptionPolicy, ...rest } = spec;
  return { ...rest, ...changes };
}

function addToContainer(container: Container, additions: PodAdditions): Container {
  const { resources } = container;
  return {
    ...container,
    ...appended("env", container.env, additions.env),
    ...appended("envFrom", container.envFrom, additions.envFrom),
    ...appended("ports", container.ports, additions.ports),
    ...appended("volumeMounts", container.volumeMounts, additions.mounts),
    ...(Object.keys(additions.limits).length > 0 && {
      resources: { ...resources, limits: { ...resources?.limits, ...additions.limits } },
    }),
    ...additions.container,
  };
}

/** Appends containers, except those whose name and image are there already. */
function withContainers(present: readonly Container[] = [], added: readonly Container[]): Container[] {
  const isPresent = ({ name, image }: Container) =>
    present.some((container) => container.name === name && container.image === image);
  return [...present, ...added.filter((container) => !isPresent(container))];
}

function appended<N extends string, T>(name: N, present: readonly T[] | undefined, added: readonly T[]) {
  const all = [...(present ?? []), ...added];
  const field: { [K in N]?: T[] } = {};
  if (added.length > 0) field[name] = all;
  return field;
}
