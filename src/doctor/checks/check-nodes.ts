import type { CauseName } from "../../diagnosis/causes.ts";
import { isCordoned, offerOf, printAmount, requestOf, taintsOf } from "../../diagnosis/resources.ts";
import { keys } from "../../diagnosis/settings.ts";
import { matchesNode } from "../../kube/node-requirements.ts";
import { isRepelled, repellingTaints } from "../../kube/taints.ts";
import type { KubeResource, PodSpec } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";
import { compareQuantities } from "../../values/quantity.ts";
import type { Fetched } from "../fetch/fetched.ts";
import { type Finding, ok, skipped } from "../finding.ts";
import type { PlannedPod, Role } from "../submission.ts";

/** Labels of nodes that a service adds when pods wait for them. */
const autoscaledNode =
  /^(karpenter\.sh\/|eks\.amazonaws\.com\/nodegroup$|cloud\.google\.com\/gke-nodepool$|kubernetes\.azure\.com\/agentpool$)/;

/** Reports pods that do not fit on any node, even if it were empty. */
export function checkNodes(nodes: Fetched<readonly KubeResource[]>, pods: readonly PlannedPod[]): readonly Finding[] {
  if (nodes.kind !== "found") {
    const why = nodes.kind === "unknown" ? nodes.reason : "the API has no nodes";
    return [skipped("nodes", `Whether the pods fit on a node was not checked: ${why}`)];
  }
  if (nodes.value.length === 0) return [{ check: "nodes", status: "warning", reason: "The cluster has no nodes." }];
  const isAutoscaled = nodes.value.some(({ metadata }) =>
    Object.keys(metadata.labels ?? {}).some((label) => autoscaledNode.test(label)),
  );
  const unschedulable = pods.flatMap((pod): readonly Finding[] => {
    const problem = problemOf(pod, nodes.value);
    if (problem === undefined) return [];
    return [
      {
        ...{ ...problem, check: "nodes", status: isAutoscaled ? "warning" : "failure" },
        reason: isAutoscaled ? `${problem.reason} It waits until the cluster adds a node that fits.` : problem.reason,
        // A diagnosis of the application has one cause for executors that are not scheduled.
        cause: pod.role === "driver" ? problem.cause : "executor-unschedulable",
      },
    ];
  });
  const findings = [...unschedulable, ...pods.flatMap(gateFindings)];
  if (findings.length > 0) return findings;
  return [ok("nodes", `There is a node for ${pods.map(({ role }) => `the ${role}`).join(" and for ")}.`)];
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
      key: role === "driver" ? keys.template : keys.executorTemplate,
    },
  ];
}

type Problem = Required<Pick<Finding, "cause" | "reason" | "fix">> & Pick<Finding, "key">;

/** Finds what excludes all nodes, in the order of kube-scheduler's filters that are hardest to change. */
function problemOf(pod: PlannedPod, nodes: readonly KubeResource[]): Problem | undefined {
  const { role, spec } = pod;
  // A pod with a node name is not scheduled, and `objects` reports a node that does not exist.
  if (spec.nodeName !== undefined) return undefined;
  const templateKey = role === "driver" ? keys.template : keys.executorTemplate;
  const selected = nodes.filter((node) => matchesNode(pod, node));
  if (selected.length === 0) {
    return {
      cause: "node-selector-mismatch",
      key: role === "driver" ? keys.driverNodeSelector : keys.executorNodeSelector,
      reason: `None of the ${nodes.length} nodes has what the ${role} selects${selectionOf(spec)}.`,
      fix: "Label a node, or change the node selector or affinity.",
    };
  }
  const open = selected.filter((node) => !isRepelled(pod, taintsOf(node)));
  if (open.length === 0) {
    const taints = selected.flatMap((node) => repellingTaints(pod, taintsOf(node)));
    const cordoned = taints.every(({ key }) => key === "node.kubernetes.io/unschedulable");
    if (cordoned) return cordonedNodes(role);
    const names = taints.map(({ key, value = "", effect }) => `${key}${value === "" ? "" : `=${value}`}:${effect}`);
    return {
      ...{ cause: "untolerated-taint", key: templateKey },
      reason: `Every node for the ${role} has a taint that it does not tolerate: ${[...new Set(names)].slice(0, 5).join(", ")}.`,
      fix: "Add the toleration in the pod template, or remove the taint from a node.",
    };
  }
  const ready = open.filter((node) => !isCordoned(node));
  return ready.length === 0 ? cordonedNodes(role) : shortage(pod, ready);
}

function cordonedNodes(role: Role): Problem {
  return {
    ...{ cause: "node-unschedulable", key: undefined },
    reason: `Every node for the ${role} is cordoned.`,
    fix: "Uncordon a node, or add nodes.",
  };
}

function shortage({ role, spec }: PlannedPod, nodes: readonly KubeResource[]): Problem | undefined {
  const requests = resourcesOf(spec).flatMap((resource) => {
    const amount = requestOf(spec, resource);
    return amount === undefined || amount.nano === 0n ? [] : [{ resource, amount }];
  });
  const fits = (node: KubeResource) =>
    requests.every(({ resource, amount }) => compareQuantities(amount, offerOf(node, resource)) <= 0);
  if (nodes.some(fits)) return undefined;
  const fix = "Request less, or add larger nodes.";
  for (const { resource, amount } of requests) {
    const offers = nodes.map((node) => offerOf(node, resource));
    if (offers.some((offer) => compareQuantities(amount, offer) <= 0)) continue;
    const most = offers.reduce((a, b) => (compareQuantities(a, b) < 0 ? b : a));
    return {
      ...{ cause: causes[resource] ?? "insufficient-extended-resource", key: keyOf(role, resource), fix },
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

const causes: Readonly<Record<string, CauseName>> = {
  cpu: "insufficient-cpu",
  memory: "insufficient-memory",
  "ephemeral-storage": "insufficient-ephemeral-storage",
};

function keyOf(role: Role, resource: string): string {
  const isDriver = role === "driver";
  if (resource === "cpu") return isDriver ? keys.driverRequestCores : keys.executorRequestCores;
  if (resource === "memory") return isDriver ? keys.driverMemory : keys.executorMemory;
  return isDriver ? keys.template : keys.executorTemplate;
}

/** Lists the resources that the containers request. */
function resourcesOf({ containers, initContainers = [] }: PodSpec): readonly string[] {
  const names = [...containers, ...initContainers].flatMap(({ resources: { requests, limits } = {} }) => [
    ...Object.keys(requests ?? {}),
    ...Object.keys(limits ?? {}),
  ]);
  return [...new Set(names)];
}

function selectionOf({ nodeSelector = {} }: PodSpec): string {
  const labels = Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
  return labels.length === 0 ? " by its affinity" : `: ${labels.join(", ")}`;
}
