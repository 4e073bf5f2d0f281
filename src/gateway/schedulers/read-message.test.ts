import { expect, test } from "vitest";
import { readEvent, readPodGroup, readWorkload } from "./read-message.ts";

const metadata = {
  ...{ name: "pod-driver", namespace: "jobs" },
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "driver", uid: "1" }],
};
const workload = { apiVersion: "kueue.x-k8s.io/v1beta2", kind: "Workload", metadata };
const podGroup = { apiVersion: "scheduling.volcano.sh/v1beta1", kind: "PodGroup", metadata };

test("a workload that waits for admission checks names them", () => {
  const conditions = [{ type: "QuotaReserved", status: "True" }];
  const admissionChecks = [
    { name: "budget", state: "Pending", message: "no budget left" },
    { name: "nodes", state: "Ready" },
    { name: "approval", state: "Pending" },
  ];
  expect(readWorkload({ ...workload, status: { conditions, admissionChecks } })).toEqual({
    ...{ namespace: "jobs", podName: "driver", atMs: 0 },
    text: "Kueue has reserved quota for the driver, and waits for budget (no budget left), approval.",
  });
});

test("a workload that was evicted says why until it is evaluated again", () => {
  const conditions = [{ type: "Evicted", status: "True", message: "Preempted to accommodate a workload" }];
  expect(readWorkload({ ...workload, status: { conditions } })?.text).toBe(
    "Kueue does not admit the driver yet: Preempted to accommodate a workload.",
  );
});

test("objects that no pod owns say nothing", () => {
  const alone = { name: "job-etl", namespace: "jobs" };
  expect(readWorkload({ ...workload, metadata: alone })).toBeUndefined();
  expect(readPodGroup({ ...podGroup, metadata: alone })).toBeUndefined();
});

test("a PodGroup shows only a condition that holds", () => {
  const conditions = [{ type: "Unschedulable", status: "False", message: "not enough resources" }];
  expect(readPodGroup({ ...podGroup, status: { phase: "Inqueue", conditions } })?.text).toBe(
    "Volcano looks for nodes for the application.",
  );
});

test("an event of YuniKorn names the driver as people do, and has the time of its last occurrence", () => {
  const event = readEvent({
    metadata: { name: "driver.1", creationTimestamp: "2026-01-01T00:00:00Z" },
    involvedObject: { kind: "Pod", namespace: "jobs", name: "driver" },
    message: "jobs/driver is queued and waiting for allocation",
    series: { count: 2, lastObservedTime: "2026-01-01T00:00:05.000000Z" },
  });
  expect(event).toEqual({
    ...{ namespace: "jobs", podName: "driver", text: "YuniKorn: the driver is queued and waiting for allocation." },
    atMs: Date.parse("2026-01-01T00:00:05Z"),
  });
});
