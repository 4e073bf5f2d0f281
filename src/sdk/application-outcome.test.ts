import { expect, test } from "vitest";
import type { Pod } from "../kube/types.ts";
import { outcomeOf } from "./application-outcome.ts";

type Status = NonNullable<Pod["status"]>;

const name = "spark-kubernetes-driver";
const podOf = (status: Status, metadata: Pod["metadata"] = {}): Pod => ({
  metadata,
  spec: { containers: [{ name }] },
  status,
});
const terminated = (exitCode: number, reason: string): Status => ({
  phase: exitCode === 0 ? "Succeeded" : "Failed",
  containerStatuses: [
    { name, image: "", imageID: "", ready: false, restartCount: 0, state: { terminated: { exitCode, reason } } },
  ],
});
const target = (reason: string) => [{ type: "DisruptionTarget", status: "True", reason }];

test.each<[string, Status, string | undefined]>([
  ["succeeded", terminated(0, "Completed"), undefined],
  ["exited with an exit code", terminated(3, "Error"), "application"],
  ["exceeded its memory limit", terminated(137, "OOMKilled"), "application"],
  ["was preempted", { phase: "Failed", conditions: target("PreemptionByScheduler") }, "infrastructure"],
  ["lost its node", { phase: "Failed", reason: "NodeLost" }, "infrastructure"],
  ["was rejected by the kubelet", { phase: "Failed", reason: "OutOfcpu" }, "infrastructure"],
  [
    "was evicted because its node was short of memory",
    { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
    "infrastructure",
  ],
  [
    "was evicted because it used more local storage than its own limit",
    {
      ...{ phase: "Failed", reason: "Evicted", conditions: target("TerminationByKubelet") },
      message: "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.",
    },
    "application",
  ],
])("a driver that %s failed by this", (_, status, failedBy) => {
  expect(outcomeOf(podOf(status), undefined).failedBy).toBe(failedBy);
});

test("a driver that was killed during its deletion is deleted, by infrastructure if it was evicted", () => {
  const deleted = { deletionTimestamp: "2026-01-31T12:00:00Z" };
  const killed = terminated(143, "Error");
  expect(outcomeOf(podOf(killed, deleted), undefined)).toMatchObject({ state: "deleted", failedBy: undefined });
  const evicted = { ...killed, conditions: target("EvictionByEvictionAPI") };
  expect(outcomeOf(podOf(evicted, deleted), undefined)).toMatchObject({ state: "deleted", failedBy: "infrastructure" });
});
