import { describe, expect, test } from "vitest";
import type { Pod } from "../../kube/types.ts";
import type { ApplicationEnd } from "../model/application.ts";
import { defaultRetryPolicy, nextAttemptDelayMs } from "./retry-policy.ts";

const failed: ApplicationEnd = { state: "failed", atMs: 0, hasStarted: true };
const disrupted: Pod = {
  spec: { containers: [] },
  status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
};

const evicted: Pod = {
  spec: { containers: [] },
  status: { conditions: [{ type: "TerminationTarget", status: "True", reason: "WorkloadEvicted" }] },
};

describe("the next attempt", () => {
  test("follows failures of nodes and evictions, each after twice the delay", () => {
    const delays = [1, 2, 3, 4].map((attempt) =>
      nextAttemptDelayMs(defaultRetryPolicy, attempt, { ...failed, reason: "Evicted" }, undefined),
    );
    expect(delays).toEqual([10_000, 20_000, 40_000, undefined]);
    for (const pod of [disrupted, evicted]) expect(nextAttemptDelayMs(defaultRetryPolicy, 1, failed, pod)).toBe(10_000);
  });

  test("never follows a failure of the application, a rejection, a kill or a success, unless requested", () => {
    const policy = { ...defaultRetryPolicy, maxApplicationAttempts: 2 };
    const error = { ...failed, reason: "Error", exitCode: 1 };
    expect(nextAttemptDelayMs(defaultRetryPolicy, 1, error, undefined)).toBeUndefined();
    expect([1, 2].map((attempt) => nextAttemptDelayMs(policy, attempt, error, undefined))).toEqual([10_000, undefined]);
    const rejected = { ...failed, reason: "Rejected" };
    expect(nextAttemptDelayMs(policy, 1, rejected, undefined)).toBeUndefined();
    for (const state of ["killed", "succeeded"] as const)
      expect(nextAttemptDelayMs(policy, 1, { ...failed, state }, disrupted)).toBeUndefined();
  });

  test("does not follow an eviction for the pod's own disk usage", () => {
    const message = "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.";
    const end = { ...failed, reason: "Evicted", message };
    expect(nextAttemptDelayMs(defaultRetryPolicy, 1, end, undefined)).toBeUndefined();
  });
});
