import type { CauseName } from "../../diagnosis/causes.ts";
import { isCordoned, offerOf, printAmount, taintsOf } from "../../diagnosis/resources.ts";
import { keys } from "../../diagnosis/settings.ts";
import { matchesNode } from "../../kube/node-requirements.ts";
import type { PlacedPod } from "../../kube/placement.ts";
import { affinityTerms } from "../../kube/pod-affinity.ts";
import { isRepelled, repellingTaints } from "../../kube/taints.ts";
import { spreadConstraints } from "../../kube/topology-spread.ts";
import type { KubeResource, PodSpec } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";
import { compareQuantities } from "../../values/quantity.ts";
import type { Fetched } from "../fetch/fetched.ts";
import { type Finding, ok, skipped } from "../finding.ts";
import { templateKey, volumePrefix } from "../role-keys.ts";
import type { PlannedPod, Role } from "../submission.ts";
import { checkFreeCapacity } from "./check-free-capacity.ts";
import { shortageCause, shortageKey } from "./node-causes.ts";
import { lackingOn, requestsOf } from "./node-fit.ts";
import { type ClaimedVolumes, unreachableClaims } from "./volume-nodes.ts";

/** Labels of nodes that a service adds when pods wait for them. */
const autoscaledNode =
  /^(karpenter\.sh\/|eks\.amazonaws\.com\/nodegroup$|cloud\.google\.com\/gke-nodepool$|kubernetes\.azure\.com\/agentpool$)/;

/** Nodes of the cluster, and the unfinished pods that are bound to them. */
export interface ClusterNodes {
  readonly nodes: Fetched<readonly KubeResource[]>;
  readonly placed: Fetched<readonly PlacedPod[]>;
  readonly volumes: ClaimedVolumes;
}

/** Reports pods that do not fit on any node, even if it were empty, and those that no node can take now. */
export function checkNodes({ nodes, placed, volumes }: ClusterNodes, pods: readonly PlannedPod[]): readonly Finding[] {
  if (nodes.kind !== "found") {
    const why = nodes.kind === "unknown" ? nodes.reason : "the API has no nodes";
    return [skipped("nodes", `Whether the pods fit on a node was not checked: ${why}`)];
  }
  if (nodes.value.length === 0)
    return [{ check: "nodes", status: "warning", reason: "The cluster has no nodes.", fix: "Add a node." }];
  const isAutoscaled = nodes.value.some(({ metadata }) =>
    Object.keys(metadata.labels ?? {}).some((label) => autoscaledNode.test(label)),
  );
  const unschedulable = pods.flatMap((pod) => {
    const problem = problemOf(pod, nodes.value, volumes);
    return problem === undefined ? [] : [findingOf(problem, pod, isAutoscaled)];
  });
  const findings = [...unschedulable, ...pods.flatMap(gateFindings)];
  // A cluster that adds nodes has capacity for all pods.
  if (unschedulable.length === 0 && !isAutoscaled && placed.kind === "found") {
    const scheduled = pods.filter(({ spec }) => spec.nodeName === undefined);
    const candidates = scheduled.map((pod) => ({
      pod,
      nodes: nodes.value.filter((node) => canRun(pod, node, volumes)),
    }));
    findings.push(...checkFreeCapacity(candidates, { nodes: nodes.value, placed: placed.value }));
  }
  if (findings.length > 0) return findings;
  const unknown = placed.kind === "unknown" ? ` Whether it can take them now was not checked: ${placed.reason}` : "";
  return [ok("nodes", `There is a node for ${pods.map(({ role }) => `the ${role}`).join(" and for ")}.${unknown}`)];
}

function findingOf(problem: Problem, { role }: PlannedPod, isAutoscaled: boolean): Finding {
  if (problem.cause === "node-refused-pod") return { ...problem, check: "nodes", status: "failure" };
  return {
    ...{ ...problem, check: "nodes", status: isAutoscaled ? "warning" : "failure" },
    reason: isAutoscaled ? `${problem.reason} It waits until the cluster adds a node that fits.` : problem.reason,
    // A diagnosis of the application has one cause for executors that are not scheduled.
    cause: role === "driver" ? problem.cause : "executor-unschedulable",
  };
}

/** Whether a node could run a pod if it were empty. */
function canRun(pod: PlannedPod, node: KubeResource, volumes: ClaimedVolumes): boolean {
  const isOpen = !isCordoned(node) && !isRepelled(pod, taintsOf(node));
  const isSelected = matchesNode(pod, node) && unreachableClaims(pod.spec, node, volumes).length === 0;
  return isOpen && isSelected && lackingOn(node, requestsOf(pod.spec)).length === 0;
}

/** Reports a pod that is not scheduled until its gates are removed. The types of the API that Firesteel uses predate gates. */
function gateFindings({ role, spec }: PlannedPod): readonly Finding[] {
  const gates = "schedulingGates" in spec && Array.isArray(spec.schedulingGates) ? spec.schedulingGates : [];
  if (gates.length === 0) return [];
  const names = gates.filter(isFields).map(({ name }) => String(name));
  return [
    {
      ...{ check: "nodes", status: "warning", cause: "scheduling-gated" },
      reason: `The ${role} waits until another program removes its scheduling gates: ${names.join(", ")}.`,
      fix: "Remove schedulingGates from the pod template, unless a queueing system such as Kueue removes them.",
      key: templateKey(role),
    },
  ];
}

interface Problem extends Pick<Finding, "reason" | "key"> {
  readonly cause: CauseName;
  readonly fix: string;
}

/** Finds what excludes all nodes, in the order of kube-scheduler's filters that are hardest to change. */
function problemOf(pod: PlannedPod, nodes: readonly KubeResource[], volumes: ClaimedVolumes): Problem | undefined {
  const { role, spec } = pod;
  if (spec.nodeName !== undefined) return kubeletRejection(pod, nodes);
  const selected = nodes.filter((node) => matchesNode(pod, node));
  if (selected.length === 0) return selectorMismatch(pod, nodes.length);
  const reachable = selected.filter((node) => unreachableClaims(spec, node, volumes).length === 0);
  if (reachable.length === 0) {
    const claims = new Set(selected.flatMap((node) => unreachableClaims(spec, node, volumes)));
    return {
      ...{ cause: "node-selector-mismatch", key: volumePrefix(role) },
      reason: `No node for the ${role} can use the volumes of its claims: ${[...claims].join(", ")}.`,
      fix: "Use a node in the zone of the volume, or another volume.",
    };
  }
  const open = reachable.filter((node) => !isRepelled(pod, taintsOf(node)));
  if (open.length === 0) {
    const taints = reachable.flatMap((node) => repellingTaints(pod, taintsOf(node)));
    const cordoned = taints.every(({ key }) => key === "node.kubernetes.io/unschedulable");
    if (cordoned) return cordonedNodes(role);
    const names = taints.map(({ key, value = "", effect }) => `${key}${value === "" ? "" : `=${value}`}:${effect}`);
    return {
      ...{ cause: "untolerated-taint", key: templateKey(role) },
      reason: `Every node for the ${role} has a taint that it does not tolerate: ${[...new Set(names)].slice(0, 5).join(", ")}.`,
      fix: "Add the toleration in the pod template, or remove the taint from a node.",
    };
  }
  const ready = open.filter((node) => !isCordoned(node));
  if (ready.length === 0) return cordonedNodes(role);
  return shortage(pod, ready) ?? missingDomain(pod, ready);
}

/** Reports rules of a pod for domains, such as zones, of which no node has the label. */
function missingDomain({ role, spec }: PlannedPod, nodes: readonly KubeResource[]): Problem | undefined {
  const rules = [
    { cause: "topology-spread-mismatch", name: "topologySpreadConstraints", terms: spreadConstraints(spec) },
    { cause: "pod-affinity-mismatch", name: "podAffinity", terms: affinityTerms(spec) },
  ] as const;
  for (const { cause, name, terms } of rules) {
    const labels = terms.map(({ topologyKey }) => topologyKey);
    const hasAll = ({ metadata }: KubeResource) => labels.every((label) => label in (metadata.labels ?? {}));
    if (nodes.some(hasAll)) continue;
    return {
      ...{ cause, key: templateKey(role), fix: "Label the nodes, or correct topologyKey in the pod template." },
      reason: `No node for the ${role} has the labels of its ${name}: ${labels.join(", ")}.`,
    };
  }
  return undefined;
}

/** Reports a pod with a node name that the kubelet of its node rejects. `objects` reports a node that does not exist. */
function kubeletRejection(pod: PlannedPod, nodes: readonly KubeResource[]): Problem | undefined {
  const { role, spec } = pod;
  const node = nodes.find(({ metadata }) => metadata.name === spec.nodeName);
  if (node === undefined) return undefined;
  const [lack] = lackingOn(node, requestsOf(spec));
  if (lack === undefined && matchesNode(pod, node)) return undefined;
  const why =
    lack === undefined
      ? `it does not have what the pod selects${selectionOf(spec)}`
      : `the pod requests ${printAmount(lack.amount, lack.resource)} of ${lack.resource}, and the node has ${printAmount(offerOf(node, lack.resource), lack.resource)}`;
  return {
    ...{ cause: "node-refused-pod", key: templateKey(role) },
    reason: `The node ${spec.nodeName}, which the template of the ${role} names, rejects the pod: ${why}.`,
    fix: "Remove nodeName from the pod template, or name another node.",
  };
}

function selectorMismatch({ role, spec }: PlannedPod, count: number): Problem {
  return {
    cause: "node-selector-mismatch",
    key: role === "driver" ? keys.driverNodeSelector : keys.executorNodeSelector,
    reason: `None of the ${count} nodes has what the ${role} selects${selectionOf(spec)}.`,
    fix: "Label a node, or change the node selector or affinity.",
  };
}

function cordonedNodes(role: Role): Problem {
  return {
    ...{ cause: "node-unschedulable", key: undefined },
    reason: `Every node for the ${role} is cordoned.`,
    fix: "Uncordon a node, or add nodes.",
  };
}

function shortage({ role, spec }: PlannedPod, nodes: readonly KubeResource[]): Problem | undefined {
  const requests = requestsOf(spec);
  if (nodes.some((node) => lackingOn(node, requests).length === 0)) return undefined;
  const fix = "Request less, or add larger nodes.";
  for (const { resource, amount } of requests) {
    const offers = nodes.map((node) => offerOf(node, resource));
    if (offers.some((offer) => compareQuantities(amount, offer) <= 0)) continue;
    const most = offers.reduce((a, b) => (compareQuantities(a, b) < 0 ? b : a));
    return {
      ...{ cause: shortageCause(resource), key: shortageKey(role, resource), fix },
      reason: `The ${role} requests ${printAmount(amount, resource)} of ${resource}, and the largest node has ${printAmount(most, resource)}.`,
    };
  }
  const requested = requests
    .map(({ resource, amount }) => `${printAmount(amount, resource)} of ${resource}`)
    .join(", ");
  return {
    cause: "unschedulable-mixed",
    key: undefined,
    fix,
    reason: `No node has all of what the ${role} requests: ${requested}.`,
  };
}

function selectionOf({ nodeSelector = {} }: PodSpec): string {
  const labels = Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
  return labels.length === 0 ? " by its affinity" : `: ${labels.join(", ")}`;
}
