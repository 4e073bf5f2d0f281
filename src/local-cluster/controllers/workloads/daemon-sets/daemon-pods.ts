import type { Affinity, Toleration } from "kubernetes-types/core/v1.d.ts";
import { matchesNode } from "../../../../kube/node-requirements.ts";
import { repellingTaints } from "../../../../kube/taints.ts";
import type { PodSpec } from "../../../../kube/types.ts";
import type { ApiScope } from "../../../api/call.ts";
import type { StoredNode, StoredPod } from "../../../pods/stored-object.ts";
import { addPod } from "../pods.ts";
import { revisionLabel } from "../revisions.ts";
import { component, type DaemonSetObject } from "./daemon-set-object.ts";

const templateGeneration = "deprecated.daemonset.template.generation";
const generationLabel = "pod-template-generation";

/** Tolerations that all pods of DaemonSets have: they stay on nodes with problems. */
const tolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

const hostNetworkToleration: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};

/** Whether a pod of a DaemonSet fits a node, and whether one that runs there may stay. */
export interface NodeFit {
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

/** Checks a node's name, labels and taints. */
export function fitOf({ spec: { template } }: DaemonSetObject, node: StoredNode): NodeFit {
  const spec = podSpec(template?.spec ?? { containers: [] });
  const { nodeName = "" } = spec;
  if ((nodeName !== "" && nodeName !== node.metadata.name) || !matchesNode({ spec }, node))
    return { shouldRun: false, mayStay: false };
  const repelling = repellingTaints({ spec }, node.spec?.taints ?? []);
  return {
    shouldRun: repelling.length === 0,
    mayStay: !repelling.some(({ effect }) => effect === "NoExecute"),
  };
}

/** Returns a template's spec with the tolerations of DaemonSets. */
function podSpec(spec: PodSpec): PodSpec {
  const added = spec.hostNetwork === true ? [...tolerations, hostNetworkToleration] : tolerations;
  const own = (spec.tolerations ?? []).filter(
    ({ key, effect, value }) => !added.some((one) => one.key === key && one.effect === effect && value === undefined),
  );
  return { ...spec, tolerations: [...own, ...added] };
}

/** Creates a pod that only one node can run. */
export function createDaemonPod(
  api: ApiScope,
  set: DaemonSetObject,
  { node, hash }: { node: string; hash: string },
): void {
  const spec = podSpec(set.spec.template.spec ?? { containers: [] });
  const generation = set.metadata.annotations?.[templateGeneration];
  const overrides = {
    generateName: `${set.metadata.name}-`,
    labels: { ...(generation !== undefined && { [generationLabel]: generation }), [revisionLabel]: hash },
    spec: { ...spec, affinity: onNode(spec.affinity, node) },
  };
  addPod(api, set, set.spec.template, { overrides, component });
}

function onNode(affinity: Affinity | undefined, node: string): Affinity {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
  };
}

/** Returns the node on which a pod runs or will run; `undefined` if it has no such node. */
export function targetNodeOf({ spec }: StoredPod): string | undefined {
  if ((spec.nodeName ?? "") !== "") return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const field = fields.find(({ key, operator, values = [] }) => {
    return key === "metadata.name" && operator === "In" && values.length === 1;
  });
  return field?.values?.[0];
}

/** Whether a pod was created from the current template. */
export function isUpdated({ metadata }: StoredPod, set: DaemonSetObject, hash: string): boolean {
  const generation = set.metadata.annotations?.[templateGeneration];
  const isSameGeneration = generation !== undefined && metadata.labels?.[generationLabel] === generation;
  return isSameGeneration || metadata.labels?.[revisionLabel] === hash;
}

/** Orders pods: scheduled ones first, then the oldest. */
export function byAge(a: StoredPod, b: StoredPod): number {
  const rank = ({ spec }: StoredPod) => ((spec.nodeName ?? "") === "" ? 1 : 0);
  const created = ({ metadata }: StoredPod) => Date.parse(metadata.creationTimestamp ?? "");
  return rank(a) - rank(b) || created(a) - created(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}
