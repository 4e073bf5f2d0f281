import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { createMemoryStore } from "../../api/memory-store.ts";
import { isPod } from "../../pods/stored-object.ts";
import { findNode } from "./find-node.ts";
import { followPlacedPods } from "./placed-pods.ts";
import { viewOf } from "./scheduling-view.ts";

interface Cluster {
  readonly nodes?: readonly object[];
  readonly pods?: readonly object[];
  readonly claims?: readonly object[];
  readonly volumes?: readonly object[];
  readonly overcommits?: boolean;
}

const capacity = { cpu: "4", memory: "8Gi", "ephemeral-storage": "10Gi", pods: "110" };

function node(name: string, { labels = {}, spec = {}, allocatable = {} } = {}): object {
  const all = { "kubernetes.io/hostname": name, zone: name, ...labels };
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name, labels: all }, spec },
    status: { allocatable: { ...capacity, ...allocatable } },
  };
}

function pod(name: string, spec: object, { labels = {}, phase = "Running" } = {}): object {
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", labels } },
    spec: { containers: [{ name: "a" }], ...spec },
    status: { phase },
  };
}

/** Returns a pod's node, or the scheduler's message without the part about preemption. */
function schedule(spec: object, { nodes = [node("n1")], overcommits = true, ...cluster }: Cluster = {}, labels = {}) {
  const store = createMemoryStore(testHost());
  for (const object of nodes) store.create("nodes", object);
  for (const object of cluster.pods ?? []) store.create("pods", object);
  for (const object of cluster.claims ?? []) store.create("persistentvolumeclaims", object);
  for (const object of cluster.volumes ?? []) store.create("persistentvolumes", object);
  const view = viewOf(store, followPlacedPods(store));
  const created = store.create("pods", pod("p", spec, { labels, phase: "Pending" }));
  if (created === undefined || !isPod(created)) throw new Error("no pod");
  const placement = findNode(view, created, { overcommits });
  return "node" in placement ? placement.node : placement.problem + placement.preemption;
}

const requesting = (requests: object) => ({ containers: [{ name: "a", resources: { requests } }] });
const unresolvable =
  " no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
const resolvable =
  " no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
const onNode = { nodeName: "n1" };
const term = (app: string, topologyKey = "zone") => ({
  requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { app } }, topologyKey }],
});
const webs = pod("web", onNode, { labels: { app: "web" } });
const port = (hostPort: number, more = {}) => ({
  containers: [{ name: "a", ports: [{ containerPort: 80, hostPort, ...more }] }],
});
const claiming = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] };
const claim = (phase: string, spec: object = {}, metadata: object = {}) => ({
  ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
  metadata: { name: "c", namespace: "default", ...metadata },
  ...{ spec: { volumeName: "pv", ...spec }, status: { phase } },
});
const volume = (spec: object = {}) => ({
  ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "pv" }, spec },
});
const otherNode = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["n9"] }] }] },
};

test.each<[string, string, object, Cluster?]>([
  ["cpu", `1 Insufficient cpu.${unresolvable}`, requesting({ cpu: "5" })],
  ["memory", `1 Insufficient memory.${unresolvable}`, requesting({ memory: "9Gi" })],
  ["storage", `1 Insufficient ephemeral-storage.${unresolvable}`, requesting({ "ephemeral-storage": "1Ti" })],
  ["devices", `1 Insufficient nvidia.com/gpu.${unresolvable}`, requesting({ "nvidia.com/gpu": "1" })],
  ["both", `1 Insufficient cpu, 1 Insufficient memory.${unresolvable}`, requesting({ cpu: "5", memory: "9Gi" })],
  [
    "cpus that other pods use",
    `1 Insufficient cpu.${resolvable}`,
    requesting({ cpu: "2" }),
    { overcommits: false, pods: [pod("o", { ...requesting({ cpu: "3" }), ...onNode })] },
  ],
  [
    "pods",
    `1 Too many pods.${resolvable}`,
    {},
    { nodes: [node("n1", { allocatable: { pods: "1" } })], pods: [pod("o", onNode)] },
  ],
  ["a label", `1 node(s) didn't match Pod's node affinity/selector.${unresolvable}`, { nodeSelector: { disk: "ssd" } }],
  [
    "affinity",
    `1 node(s) didn't match Pod's node affinity/selector.${unresolvable}`,
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: otherNode.required } } },
  ],
  [
    "a toleration",
    `1 node(s) had untolerated taint(s).${unresolvable}`,
    { tolerations: [{ key: "gpu", value: "no", effect: "NoSchedule" }] },
    { nodes: [node("n1", { spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } })] },
  ],
  [
    "a node that is not cordoned",
    `1 node(s) were unschedulable.${unresolvable}`,
    {},
    { nodes: [node("n1", { spec: { unschedulable: true } })] },
  ],
  [
    "a free port",
    `1 node(s) didn't have free ports for the requested pod ports.${resolvable}`,
    port(8080),
    { pods: [pod("o", { ...port(8080, { hostIP: "127.0.0.1" }), ...onNode })] },
  ],
  [
    "pods for its affinity",
    `1 node(s) didn't match pod affinity rules.${unresolvable}`,
    { affinity: { podAffinity: term("web") } },
  ],
  [
    "a node without pods that it avoids",
    `1 node(s) didn't match pod anti-affinity rules.${resolvable}`,
    { affinity: { podAntiAffinity: term("web") } },
    { pods: [webs] },
  ],
  [
    "a node whose pods accept it",
    `1 node(s) didn't satisfy existing pods anti-affinity rules.${resolvable}`,
    {},
    { pods: [pod("o", { ...onNode, affinity: { podAntiAffinity: term("me") } })] },
  ],
  [
    "a domain",
    `1 node(s) didn't match pod topology spread constraints (missing required label).${unresolvable}`,
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "rack", whenUnsatisfiable: "DoNotSchedule" }] },
  ],
  ["a claim", `persistentvolumeclaim "c" not found. not found`, claiming],
  [
    "a claim that is bound",
    "pod has unbound immediate PersistentVolumeClaims. not found",
    claiming,
    { claims: [claim("Pending")] },
  ],
  [
    "a claim that is not terminating",
    `persistentvolumeclaim "c" is being deleted. not found`,
    claiming,
    { claims: [claim("Bound", {}, { deletionTimestamp: "2026-01-02T03:04:05Z", finalizers: ["x"] })] },
  ],
  [
    "a volume",
    `1 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).${unresolvable}`,
    claiming,
    { claims: [claim("Bound")] },
  ],
  [
    "a volume on its node",
    `1 node(s) didn't match PersistentVolume's node affinity.${unresolvable}`,
    claiming,
    { claims: [claim("Bound")], volumes: [volume({ nodeAffinity: otherNode })] },
  ],
  [
    "a ReadWriteOncePod claim of its own",
    `1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.${resolvable}`,
    claiming,
    {
      ...{ claims: [claim("Bound", { accessModes: ["ReadWriteOncePod"] })], volumes: [volume()] },
      pods: [pod("o", { ...claiming, ...onNode })],
    },
  ],
])("a pod that lacks %s is not scheduled, with Kubernetes' message", (_, problem, spec, cluster) => {
  expect(schedule(spec, cluster, { app: "me" })).toBe(`0/1 nodes are available: ${problem}`);
});

test("without nodes the message lists no reasons", () => {
  expect(schedule({}, { nodes: [] })).toBe("no nodes available to schedule pods");
});

test("the message counts the reasons of all nodes", () => {
  const nodes = [
    node("n1"),
    node("n2"),
    node("n3", { spec: { unschedulable: true } }),
    node("n4", { spec: { taints: [{ key: "k", effect: "NoExecute" }] } }),
  ];
  expect(schedule(requesting({ cpu: "5" }), { nodes })).toBe(
    "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. " +
      "no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  );
});

test.each<[string, object, Cluster]>([
  ["the node with fewer pods", {}, { nodes: [node("n0"), node("n1")], pods: [pod("o", { nodeName: "n0" })] }],
  [
    "a node whose taints it tolerates",
    { tolerations: [{ operator: "Exists" }] },
    { nodes: [node("n1", { spec: { unschedulable: true, taints: [{ key: "k", effect: "NoExecute" }] } })] },
  ],
  [
    "a node with a PreferNoSchedule taint",
    {},
    { nodes: [node("n1", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } })] },
  ],
  ["an overcommitted node", requesting({ cpu: "2" }), { pods: [pod("o", { ...requesting({ cpu: "3" }), ...onNode })] }],
  [
    "a node whose pods have finished",
    port(80),
    { pods: [pod("o", { ...port(80), ...onNode }, { phase: "Succeeded" })] },
  ],
  [
    "another address of a port",
    port(80, { hostIP: "127.0.0.2" }),
    { pods: [pod("o", { ...port(80, { hostIP: "127.0.0.1" }), ...onNode })] },
  ],
  [
    "the node of the pods of its affinity",
    { affinity: { podAffinity: term("web") } },
    { nodes: [node("n0"), node("n1")], pods: [webs] },
  ],
  ["any node if it is the first with its affinity", { affinity: { podAffinity: term("me") } }, {}],
  [
    "the node with the fewest pods of its spread constraint",
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: "me" } },
        },
      ],
    },
    {
      nodes: [node("n0"), node("n1")],
      pods: [pod("o", { nodeName: "n0" }, { labels: { app: "me" } }), pod("x", onNode), pod("y", onNode)],
    },
  ],
  ["the node of its volume", claiming, { claims: [claim("Bound")], volumes: [volume()] }],
])("a pod is scheduled to %s", (_, spec, cluster) => {
  expect(schedule(spec, cluster, { app: "me" })).toBe("n1");
});
