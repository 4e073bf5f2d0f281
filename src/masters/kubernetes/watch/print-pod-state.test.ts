import { expect, test } from "vitest";
import type { ContainerStatus, Pod } from "../../../kube/types.ts";
import { printFinalStatuses, printPodState } from "./print-pod-state.ts";

const at = "2026-01-01T00:00:02Z";

function status(name: string, state: ContainerStatus["state"]): ContainerStatus {
  return { name, image: "img:1", imageID: "", ready: false, restartCount: 0, ...(state && { state }) };
}

function podWith(containerStatuses: ContainerStatus[]): Pod {
  return { apiVersion: "v1", kind: "Pod", status: { phase: "Failed", containerStatuses } };
}

test("a pod's state has a line per field, and N/A for a missing field", () => {
  const pod: Pod = {
    metadata: { name: "drv", namespace: "ns", labels: { a: "b", c: "d" }, uid: "u", creationTimestamp: at },
    spec: { containers: [], volumes: [{ name: "v1" }, { name: "v2" }], nodeName: "node-1" },
    status: { phase: "Running", containerStatuses: [status("main", { running: { startedAt: at } })] },
  };
  expect(printPodState(pod)).toBe(
    [
      "",
      "\t pod name: drv",
      "\t namespace: ns",
      "\t labels: a -> b, c -> d",
      "\t pod uid: u",
      `\t creation time: ${at}`,
      "\t service account name: N/A",
      "\t volumes: v1, v2",
      "\t node name: node-1",
      "\t start time: N/A",
      "\t phase: Running",
      "\t container status: ",
      "\t\t container name: main",
      "\t\t container image: img:1",
      "\t\t container state: running",
      `\t\t container started at: ${at}`,
    ].join("\n"),
  );
  expect(printPodState({})).toContain("\n\t phase: N/A\n\t container status: N/A");
});

test("final statuses have a block per container with its state", () => {
  const terminated = { exitCode: 137, reason: "OOMKilled", startedAt: at, finishedAt: at };
  const pod = podWith([
    status("main", { terminated }),
    status("side", { waiting: { reason: "CrashLoopBackOff" } }),
    status("other", undefined),
  ]);
  expect(printFinalStatuses(pod)).toBe(
    [
      "Container final statuses:\n\n",
      "\t container name: main",
      "\t container image: img:1",
      "\t container state: terminated",
      `\t container started at: ${at}`,
      `\t container finished at: ${at}`,
      "\t exit code: 137",
      "\t termination reason: OOMKilled\n\n",
      "\t container name: side",
      "\t container image: img:1",
      "\t container state: waiting",
      "\t pending reason: CrashLoopBackOff\n\n",
      "\t container name: other",
      "\t container image: img:1",
      "\t container state: N/A",
    ].join("\n"),
  );
  expect(printFinalStatuses(podWith([]))).toBe("Container final statuses:\n\n");
});

test("final statuses end with the driver's container if its name is passed", () => {
  const ended = (exitCode: number) => ({ terminated: { exitCode, startedAt: at, finishedAt: at } });
  const pod = podWith([status("main", ended(3)), status("side", ended(0))]);
  const codes = (text: string) => [...text.matchAll(/exit code: (\d+)/g)].map(([, code]) => code);
  expect(codes(printFinalStatuses(pod))).toEqual(["3", "0"]);
  expect(codes(printFinalStatuses(pod, "main"))).toEqual(["0", "3"]);
});
