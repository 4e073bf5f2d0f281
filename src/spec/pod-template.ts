import type { Contribution } from "../features/step.ts";
import type { Container, OwnerReference, Pod, StringMap } from "../kube/types.ts";
import type { PodTemplate } from "../plan/pod-template.ts";
import { type Fields, isFields } from "../values/fields.ts";

/** Values that override the template besides the steps' contribution. */
interface PodNames {
  readonly podName: string;
  readonly namespace: string;
  /** Appended to the owners in the template. */
  readonly owner?: OwnerReference;
}

/**
 * Builds the pod by merging the contributions over the template. The role's container comes last.
 *
 * Source: Spark's documentation, "Pod template properties", and KubernetesUtils.
 */
export function buildPod(template: PodTemplate | undefined, contribution: Contribution, names: PodNames): Pod {
  const { volumes = [], initContainers = [], podSpec = {} } = contribution;
  const under = template?.pod ?? {};
  const added = {
    ...podSpec,
    ...(volumes.length === 0 ? {} : { volumes: [...volumes] }),
    ...(initContainers.length === 0 ? {} : { initContainers: [...initContainers] }),
    containers: [buildContainer(template?.container ?? {}, contribution)],
  };
  return {
    ...under,
    apiVersion: "v1",
    kind: under.kind ?? "Pod",
    metadata: buildMetadata(under.metadata ?? {}, contribution, names),
    spec: layOver(under.spec ?? { containers: [] }, added),
  };
}

function buildContainer(under: Partial<Container>, contribution: Contribution): Container {
  const { env = [], ports = [], mounts = [], container = {} } = contribution;
  const { name = "", ...laid } = layOver<Partial<Container>>(under, {
    ...container,
    ...(env.length === 0 ? {} : { env: [...env] }),
    ...(ports.length === 0 ? {} : { ports: [...ports] }),
    ...(mounts.length === 0 ? {} : { volumeMounts: [...mounts] }),
  });
  return { name, ...laid };
}

function buildMetadata(
  under: NonNullable<Pod["metadata"]>,
  { labels, annotations }: Contribution,
  { podName, namespace, owner }: PodNames,
): NonNullable<Pod["metadata"]> {
  const merged = {
    ...mapOver("labels", under.labels, labels),
    ...mapOver("annotations", under.annotations, annotations),
  };
  // The pod must be in the namespace of the objects that it mounts, whatever the template says.
  const space = under.namespace === undefined ? {} : { namespace };
  const owned = owner === undefined ? {} : { ownerReferences: [...(under.ownerReferences ?? []), owner] };
  return { ...under, ...merged, ...space, ...owned, name: podName };
}

function mapOver(field: "labels" | "annotations", under: StringMap = {}, over: StringMap = {}) {
  const merged = { ...under, ...over };
  return Object.keys(merged).length === 0 ? {} : { [field]: merged };
}

/** Merges objects field by field and appends lists. For other values, `over` takes precedence. */
function layOver<T extends object>(under: T, over: T): T;
function layOver(under: Fields, over: Fields): Fields {
  const result: Record<string, unknown> = { ...under };
  for (const [field, value] of Object.entries(over)) {
    const present = result[field];
    if (isFields(present) && isFields(value)) result[field] = layOver(present, value);
    else if (Array.isArray(present) && Array.isArray(value)) result[field] = [...present, ...value];
    else result[field] = value;
  }
  return result;
}
