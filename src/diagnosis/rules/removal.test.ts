import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, instant, observe } from "../test-observation.ts";

describe("the removal of a driver", () => {
  const running = {
    phase: "Running",
    spec: { nodeName: "worker-1", containers: [{ name: "spark-kubernetes-driver" }] },
    states: { main: { running: {} } },
  };
  const target = (reason: string) => ({
    conditions: [{ type: "DisruptionTarget", status: "True", reason, message: "why" }],
  });
  const deleted = { deletionTimestamp: instant(40), deletionGracePeriodSeconds: 30 };

  test.each([
    ["PreemptionByScheduler", "preempted"],
    ["EvictionByEvictionAPI", "evicted-by-api"],
    ["DeletionByTaintManager", "evicted-by-taint"],
    ["DeletionByPodGC", "node-lost"],
  ])("%s: %s", (reason, cause) => {
    const driver = driverPod({ ...running, metadata: deleted, status: target(reason) });
    expect(diagnose(observe({ driver }))?.cause).toBe(cause);
  });

  test("names the taint", () => {
    const objects = [
      {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "worker-1" },
        spec: { taints: [{ key: "maintenance", value: "now", effect: "NoExecute" }] },
      },
    ];
    const driver = driverPod({ ...running, metadata: deleted, status: target("DeletionByTaintManager") });
    expect(diagnose(observe({ driver, objects }))?.message).toContain("maintenance=now");
  });

  test.each([
    ["The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi.", "evicted-storage"],
    ['Usage of EmptyDir volume "spark-local-dir-1" exceeds the limit "10Gi". ', "evicted-storage"],
    [
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 60Mi. Container spark-kubernetes-driver was using 9Gi, request is 1Gi.",
      "evicted-pressure",
    ],
  ])("%s", (message, cause) => {
    const driver = driverPod({
      phase: "Failed",
      states: { main: ended(137) },
      status: { reason: "Evicted", message },
    });
    expect(diagnose(observe({ driver }))).toMatchObject({
      cause,
      message: expect.stringContaining(message.trim()),
    });
  });

  test("by a user, unless the driver had ended before", () => {
    expect(diagnose(observe({ driver: driverPod({ ...running, metadata: deleted }) }))?.cause).toBe("deleted");
    const pending = driverPod({ metadata: deleted, isDeleted: true });
    expect(diagnose(observe({ driver: pending }))?.cause).toBe("deleted");
    const done = driverPod({
      metadata: { deletionTimestamp: instant(900) },
      isDeleted: true,
      phase: "Succeeded",
      states: { main: ended(0) },
    });
    expect(diagnose(observe({ driver: done, second: 901 }))).toBeUndefined();
  });

  test.each([
    [
      "NodeAffinity",
      "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    ["SysctlForbidden", 'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted'],
    ["OutOfmemory", "Pod was rejected: Node didn't have enough resource: memory, requested: 1, used: 2, capacity: 2"],
  ])("by a node that rejects it: %s", (reason, message) => {
    const driver = driverPod({ phase: "Failed", status: { reason, message } });
    expect(diagnose(observe({ driver }))).toMatchObject({ cause: "node-refused-pod" });
  });
});
