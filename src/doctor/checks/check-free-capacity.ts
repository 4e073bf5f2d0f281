import type { CauseName } from "../../diagnosis/causes.ts";
import { offerOf, requestOf } from "../../diagnosis/resources.ts";
import { hasPortConflict } from "../../kube/host-ports.ts";
import type { PlacedPod, Placement } from "../../kube/placement.ts";
import { affinityMismatch, affinityTerms, antiAffinityTerms } from "../../kube/pod-affinity.ts";
import { spreadMismatch } from "../../kube/topology-spread.ts";
import type { KubeResource, PodSpec } from "../../kube/types.ts";
import { compareQuantities } from "../../values/quantity.ts";
import type { Finding } from "../finding.ts";
import { templateKey } from "../role-keys.ts";
import type { PlannedPod, Role } from "../submission.ts";
import { shortageCause, shortageKey } from "./node-causes.ts";
import { requestsOf } from "./node-fit.ts";

/** A pod, and the nodes that could run it if they were empty. */
export interface Candidate {
  readonly pod: PlannedPod;
  readonly nodes: readonly KubeResource[];
}

/** All nodes, and the unfinished pods that are bound to them. */
export interface Occupancy {
  readonly nodes: readonly KubeResource[];
  readonly placed: readonly PlacedPod[];
}

/** Reports pods that no node can take beside the pods that it has now. They wait until others end. */
export function checkFreeCapacity(candidates: readonly Candidate[], { nodes, placed }: Occupancy): readonly Finding[] {
  const findings: Finding[] = [];
  const all = [...placed];
  for (const { pod, nodes: possible } of candidates) {
    const lasting = all.filter((other) => !canPreempt(pod.spec, other.spec));
    const { free, obstacles } = findFreeNodes(placementOf(nodes, lasting), pod, possible);
    const [only, another] = free;
    if (only === undefined) findings.push(finding(pod.role, obstacles));
    // With one node for the driver, executors get the capacity that it leaves.
    else if (another === undefined) all.push({ ...pod, spec: { ...pod.spec, nodeName: only } });
  }
  return findings;
}

/** Whether the scheduler removes a placed pod if another pod needs its capacity. Admission sets the priorities. */
function canPreempt({ priority = 0, preemptionPolicy }: PodSpec, placed: PodSpec): boolean {
  return preemptionPolicy !== "Never" && (placed.priority ?? 0) < priority;
}

/** Names up to two nodes that can take a pod. Without any, lists the obstacle on each node. */
function findFreeNodes(placement: Placement, pod: PlannedPod, nodes: readonly KubeResource[]) {
  const free: string[] = [];
  const obstacles: Obstacle[] = [];
  for (const node of nodes) {
    const obstacle = obstacleOn(placement, pod, node);
    if (obstacle !== undefined) obstacles.push(obstacle);
    else if (free.push(node.metadata.name ?? "") === 2) break;
  }
  return { free, obstacles };
}

/** Reason why a node cannot take a pod now. */
interface Obstacle {
  readonly cause: CauseName;
  /** Description of the nodes, after their number. */
  readonly text: string;
  readonly key: string;
}

/** Returns the first of kube-scheduler's reasons, in the order of its filters. */
function obstacleOn(placement: Placement, pod: PlannedPod, node: KubeResource): Obstacle | undefined {
  const { role, spec } = pod;
  const key = templateKey(role);
  const others = [...placement.podsOn(node.metadata.name ?? "")];
  if (hasPortConflict(spec, others)) return { cause: "host-port-taken", text: "with the host port in use", key };
  if (BigInt(others.length + 1) * 1_000_000_000n > offerOf(node, "pods").nano)
    return { cause: "too-many-pods", text: "with the maximum number of pods", key };
  const lack = requestsOf(spec).find(({ resource, amount }) => {
    const used = others.map((other) => requestOf(other.spec, resource)?.nano ?? 0n);
    return (
      compareQuantities({ ...amount, nano: used.reduce((a, b) => a + b, amount.nano) }, offerOf(node, resource)) > 0
    );
  });
  if (lack !== undefined) {
    const { resource } = lack;
    return {
      cause: shortageCause(resource),
      text: `with too little free ${resource}`,
      key: shortageKey(role, resource),
    };
  }
  if (spreadMismatch(placement, pod, node) !== undefined)
    return { cause: "topology-spread-mismatch", text: "excluded by a topology spread constraint", key };
  if (!hasUnknownTerms(spec) && affinityMismatch(placement, pod, node) !== undefined)
    return { cause: "pod-affinity-mismatch", text: "excluded by pod affinity or anti-affinity", key };
  return undefined;
}

/** Whether affinity depends on the labels of namespaces, which are not read. */
function hasUnknownTerms(spec: PodSpec): boolean {
  return [...affinityTerms(spec), ...antiAffinityTerms(spec)].some(
    ({ namespaceSelector: { matchLabels = {}, matchExpressions = [] } = {} }) =>
      Object.keys(matchLabels).length + matchExpressions.length > 0,
  );
}

function finding(role: Role, obstacles: readonly Obstacle[]): Finding {
  const texts = [...new Set(obstacles.map(({ text }) => text))];
  const counts = texts.map((text) => `${obstacles.filter((obstacle) => obstacle.text === text).length} ${text}`);
  const causes = new Set(obstacles.map(({ cause }) => cause));
  const [first] = obstacles;
  const cause = causes.size === 1 && first !== undefined ? first.cause : "unschedulable-mixed";
  return {
    ...{ check: "nodes", status: "warning", key: texts.length === 1 ? first?.key : undefined },
    // A diagnosis of the application has one cause for executors that are not scheduled.
    cause: role === "driver" ? cause : "executor-unschedulable",
    reason: `No node can take the ${role} now: ${counts.join(", ")}. It waits until the pods of the cluster change.`,
    fix: fixes[cause] ?? "Wait until other pods end, request less, or add nodes.",
  };
}

const fixes: Partial<Readonly<Record<CauseName, string>>> = {
  "host-port-taken": "Remove hostPort from the pod template, or choose another port.",
  "pod-affinity-mismatch": "Start the pods that the affinity selects, add nodes, or relax the affinity.",
  "topology-spread-mismatch": "Add nodes in the other zones or hosts, or relax topologySpreadConstraints.",
};

function placementOf(nodes: readonly KubeResource[], placed: readonly PlacedPod[]): Placement {
  const byNode = new Map<string, PlacedPod[]>();
  for (const pod of placed) {
    const name = pod.spec.nodeName ?? "";
    const pods = byNode.get(name) ?? [];
    byNode.set(name, pods);
    pods.push(pod);
  }
  const withAntiAffinity = placed.filter(({ spec }) => antiAffinityTerms(spec).length > 0);
  return {
    nodes,
    pods: () => placed,
    podsOn: (node) => byNode.get(node) ?? [],
    podsWithAntiAffinity: () => withAntiAffinity,
    labelsOfNamespace: () => undefined,
  };
}
