import { expect, test } from "vitest";
import { observeDriver } from "./observe-pod.ts";

test.each([
  { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", isDisrupted: true },
  { type: "DisruptionTarget", status: "False", reason: "PreemptionByScheduler", isDisrupted: false },
  { type: "TerminationTarget", status: "True", reason: "WorkloadEvicted", isDisrupted: true },
  { type: "TerminationTarget", status: "True", reason: "UnretriableGroup", isDisrupted: false },
])("$type $status of $reason: the cluster ends the pod is $isDisrupted", ({ isDisrupted, ...condition }) => {
  const pod = { spec: { containers: [] }, status: { conditions: [condition] } };
  expect(observeDriver(pod, {}).isDisrupted).toBe(isDisrupted);
});
