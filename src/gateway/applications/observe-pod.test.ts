import { expect, test } from "vitest";
import type { Pod } from "../../kube/types.ts";
import { observeDriver } from "./observe-pod.ts";

type ContainerState = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number]["state"];

function driver(phase: string, state: ContainerState): Pod {
  const container = { name: "spark-kubernetes-driver", image: "spark", imageID: "", ready: false, restartCount: 0 };
  return { status: { phase, containerStatuses: [{ ...container, ...(state !== undefined && { state }) }] } };
}

test("a driver runs until its pod has ended, also after its container", () => {
  const started = driver("Running", { running: { startedAt: "2026-01-01T00:00:01Z" } });
  const ended = driver("Running", { terminated: { exitCode: 1, startedAt: "2026-01-01T00:00:01Z" } });
  const waiting = driver("Pending", { waiting: { reason: "ImagePullBackOff" } });
  expect([started, ended, waiting].map((pod) => observeDriver(pod, {}).isRunning)).toEqual([true, true, false]);
});

test.each([
  { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", isDisrupted: true },
  { type: "DisruptionTarget", status: "False", reason: "PreemptionByScheduler", isDisrupted: false },
  { type: "TerminationTarget", status: "True", reason: "WorkloadEvicted", isDisrupted: true },
  { type: "TerminationTarget", status: "True", reason: "UnretriableGroup", isDisrupted: false },
])("$type $status of $reason: the cluster ends the pod is $isDisrupted", ({ isDisrupted, ...condition }) => {
  const pod = { spec: { containers: [] }, status: { conditions: [condition] } };
  expect(observeDriver(pod, {}).isDisrupted).toBe(isDisrupted);
});
