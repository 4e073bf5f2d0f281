import { describe, expect, test } from "vitest";
import type { PodSpec } from "../../kube/types.ts";
import { diagnose } from "../diagnose.ts";
import type { Observation } from "../observation.ts";
import { driverPod, event, executorPod, instant, node, observe, type PodOptions } from "../test-observation.ts";

const nodes = [
  node("small", { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "50Gi" }),
  node("large", { cpu: "16", memory: "64Gi", pods: "110", "ephemeral-storage": "100Gi" }),
  node(
    "gpu",
    { cpu: "64", memory: "256Gi", pods: "110" },
    { taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }] },
  ),
];

function unschedulable(message: string): PodOptions["status"] {
  return { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] };
}

function withRequests(requests: Readonly<Record<string, string>>, rest: Partial<PodSpec> = {}): Partial<PodSpec> {
  return { containers: [{ name: "spark-kubernetes-driver", resources: { requests } }], ...rest };
}

function reported(message: string, spec: Partial<PodSpec> = {}, rest: Partial<Observation> = {}) {
  const driver = driverPod({ spec, status: unschedulable(message) });
  const found = diagnose(observe({ driver, objects: nodes, second: 1, ...rest }));
  return found && { cause: found.cause, isTerminal: found.isTerminal, message: found.message };
}

describe("messages of a scheduler about several nodes", () => {
  test("list all reasons with their counts", () => {
    const found = reported(
      "0/9 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint {dedicated: gpu}, 4 node(s) didn't match Pod's node affinity/selector. preemption: 0/9 nodes are available: 2 No preemption victims found for incoming pod, 7 Preemption is not helpful for scheduling.",
      withRequests({ cpu: "8" }, { nodeSelector: { zone: "b" } }),
    );
    expect(found).toMatchObject({ cause: "unschedulable-mixed", isTerminal: false });
    for (const expectedText of [
      "0/9",
      "2 nodes: not enough cpu",
      "asks for 8",
      "3 nodes: taints",
      "dedicated=gpu",
      "4 nodes:",
      "zone=b",
    ]) {
      expect(found?.message).toContain(expectedText);
    }
  });

  test("compare the request with the largest suitable node", () => {
    const never = reported(
      "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
      withRequests({ cpu: "24" }),
    );
    expect(never).toMatchObject({ cause: "insufficient-cpu", isTerminal: true });
    expect(never?.message).toMatch(
      /asks for 24, the biggest node of these, large, has 16|asks for 24, the biggest node, large, has 16/,
    );
    const busy = reported("0/3 nodes are available: 3 Insufficient memory.", withRequests({ memory: "48Gi" }));
    expect(busy).toMatchObject({ cause: "insufficient-memory", isTerminal: false });
    expect(busy?.message).toContain("which other pods hold");
  });

  test.each([
    ["3 Insufficient ephemeral-storage", "insufficient-ephemeral-storage", true, "400Gi"],
    ["3 Insufficient hugepages-2Mi", "insufficient-extended-resource", true, "hugepages-2Mi"],
    ["3 Too many pods", "too-many-pods", false, "110"],
    ["3 node(s) were unschedulable", "node-unschedulable", true, "cordoned"],
    ["3 node(s) had taint {team: ml}, that the pod didn't tolerate", "untolerated-taint", true, "team=ml"],
    [
      "3 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }",
      "untolerated-taint",
      false,
      "disk-pressure",
    ],
    ["3 node(s) didn't match node selector", "node-selector-mismatch", true, "disk=ssd"],
    ["3 node(s) didn't match pod affinity rules", "pod-affinity-mismatch", true, "affinity"],
    ["3 node(s) didn't satisfy existing pods anti-affinity rules", "pod-affinity-mismatch", true, "anti-affinity"],
    [
      "3 node(s) didn't match pod topology spread constraints (missing required label)",
      "topology-spread-mismatch",
      true,
      "topology.kubernetes.io/zone",
    ],
    ["3 node(s) didn't have free ports for the requested pod ports", "host-port-taken", true, "4040"],
    ["3 node(s) didn't find available persistent volumes to bind", "pvc-unbound", true, "scratch"],
  ])("%s", (reason, cause, isTerminal, expectedText) => {
    const spec: Partial<PodSpec> = {
      ...{ nodeSelector: { disk: "ssd" } },
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "scratch" } }],
      topologySpreadConstraints: [
        { topologyKey: "topology.kubernetes.io/zone", maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" },
      ],
      containers: [
        {
          name: "spark-kubernetes-driver",
          resources: { requests: { "ephemeral-storage": "400Gi", "hugepages-2Mi": "1Gi" } },
          ports: [{ containerPort: 4040, hostPort: 4040 }],
        },
      ],
    };
    const found = reported(`0/3 nodes are available: ${reason}.`, spec);
    expect(found).toMatchObject({ cause, isTerminal });
    expect(found?.message).toContain(expectedText);
  });

  test("are temporary if the cluster is adding a node", () => {
    const events = [event("TriggeredScaleUp", "pod triggered scale-up: [{pool 1->2 (max: 5)}]", { type: "Normal" })];
    const text =
      "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
    expect(reported(text, withRequests({ cpu: "24" }), { events })?.isTerminal).toBe(false);
  });

  test("include the requests of sidecars and of the largest init container", () => {
    const spec = {
      initContainers: [{ name: "warm", resources: { requests: { cpu: "40" } } }],
      containers: [
        { name: "spark-kubernetes-driver", resources: { requests: { cpu: "1" } } },
        { name: "proxy", resources: { limits: { cpu: "1" } } },
      ],
    };
    expect(reported("0/3 nodes are available: 3 Insufficient cpu.", spec)?.message).toContain("asks for 40");
    expect(
      reported("0/3 nodes are available: 3 Insufficient cpu.", { ...spec, initContainers: [] })?.message,
    ).toContain("asks for 2,");
  });
});

describe("claims", () => {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "scratch" } }];
  const unbound =
    "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
  const claim = (storageClassName?: string) => ({
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "scratch" } },
    spec: { storageClassName },
    status: { phase: "Pending" },
  });
  const about = { kind: "PersistentVolumeClaim", about: "scratch" };

  test("that do not exist are reported", () => {
    expect(reported('0/3 nodes are available: persistentvolumeclaim "lake" not found.', { volumes })).toMatchObject({
      cause: "pvc-missing",
      message: expect.stringContaining("lake"),
    });
  });

  test("with a missing storage class are reported, from an event or the list of classes", () => {
    const events = [event("ProvisioningFailed", 'storageclass.storage.k8s.io "gold" not found', about)];
    expect(reported(unbound, { volumes }, { objects: [claim("gold")], events })).toMatchObject({
      cause: "storage-class-missing",
    });
    const scheduling = [event("FailedScheduling", unbound)];
    expect(
      reported(unbound, { volumes }, { objects: [claim("gold")], events: scheduling, now: observe({ second: 9 }).now }),
    ).toMatchObject({
      cause: "storage-class-missing",
      message: expect.stringContaining("gold"),
    });
  });

  test("whose volume is being created are not reported immediately", () => {
    const objects = [
      claim("gold"),
      { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "gold" } },
    ];
    const events = [
      event("FailedScheduling", unbound),
      event("ExternalProvisioning", "Waiting for a volume to be created", { ...about, type: "Normal" }),
    ];
    expect(reported(unbound, { volumes }, { objects, events })).toBeUndefined();
    expect(reported(unbound, { volumes }, { objects, events, now: observe({ second: 9 }).now })).toMatchObject({
      cause: "pvc-unbound",
      isTerminal: false,
    });
  });
});

describe("missing events", () => {
  const second = 11;

  test("of a scheduler that does not exist are reported", () => {
    const driver = driverPod({ spec: { schedulerName: "yunikorn" } });
    expect(diagnose(observe({ driver, second: 5 }))).toBeUndefined();
    expect(diagnose(observe({ driver, second }))).toMatchObject({
      cause: "scheduler-unknown",
      message: expect.stringContaining("yunikorn"),
    });
    const queued = [
      event("Scheduling", "team-a/report-driver is queued and waiting for allocation", { type: "Normal" }),
    ];
    expect(diagnose(observe({ driver, second, events: queued }))).toBeUndefined();
  });

  test("of the default scheduler are reported later, because it may be busy", () => {
    expect(diagnose(observe({ driver: driverPod(), second }))).toBeUndefined();
  });

  test("a node that does not exist, even if the cluster removes its pod", () => {
    const spec = { nodeName: "worker-9" };
    expect(diagnose(observe({ driver: driverPod({ spec }), objects: nodes, second }))).toMatchObject({
      cause: "node-missing",
      message: expect.stringContaining("worker-9"),
    });
    const collected = driverPod({
      spec,
      phase: "Failed",
      metadata: { deletionTimestamp: instant(60) },
      status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC" }] },
    });
    expect(diagnose(observe({ driver: collected, objects: nodes, second: 90 }))?.cause).toBe("node-missing");
  });

  test("a ResourceClaim that does not exist", () => {
    const claims = { resourceClaims: [{ name: "gpu", source: { resourceClaimName: "shared-gpu" } }] };
    expect(diagnose(observe({ driver: driverPod({ spec: claims }), objects: nodes, second }))).toMatchObject({
      cause: "resource-claim-missing",
      message: expect.stringContaining("shared-gpu"),
    });
  });

  test("a ResourceClaimTemplate that does not exist, which a controller reports immediately", () => {
    const spec = { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "gpu-template" }] };
    const message =
      'PodResourceClaim gpu: resource claim template "gpu-template": resourceclaimtemplate.resource.k8s.io "gpu-template" not found';
    const events = [event("FailedResourceClaimCreation", message)];
    expect(diagnose(observe({ driver: driverPod({ spec }), events, second: 2 }))).toMatchObject({
      cause: "resource-claim-missing",
      message: expect.stringContaining("the ResourceClaimTemplate gpu-template does not exist in team-a"),
    });
    const scheduled = driverPod({ spec: { ...spec, nodeName: "worker-1" } });
    expect(diagnose(observe({ driver: scheduled, events, second: 2 }))).toBeUndefined();
  });
});

describe("executors without a node", () => {
  const driver = driverPod({ phase: "Running", states: { main: { running: {} } } });
  const text =
    "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.";
  const waits = executorPod({
    spec: { containers: [{ name: "spark-kubernetes-executor", resources: { requests: { cpu: "8" } } }] },
    status: unschedulable(text),
  });

  test("are reported after a delay", () => {
    expect(diagnose(observe({ driver, executors: [waits], objects: nodes, second: 2 }))).toBeUndefined();
    expect(diagnose(observe({ driver, executors: [waits], objects: nodes, second: 9 }))).toMatchObject({
      cause: "executor-unschedulable",
      isTerminal: false,
    });
  });

  test("are not reported while others are running", () => {
    const works = executorPod({ name: "report-exec-2", phase: "Running", states: { main: { running: {} } } });
    expect(diagnose(observe({ driver, executors: [waits, works], objects: nodes }))).toBeUndefined();
  });
});

test("reports the delay of a running driver, but no failure", () => {
  const driver = driverPod({
    phase: "Running",
    spec: { nodeName: "large" },
    states: { main: { running: {} } },
  });
  const events = [event("FailedScheduling", "0/3 nodes are available: 3 Insufficient memory.")];
  expect(diagnose(observe({ driver, events, objects: nodes }))).toMatchObject({
    ...{ cause: "insufficient-memory", isTerminal: false, isResolved: true, nextStep: "None: it ran." },
  });
});
