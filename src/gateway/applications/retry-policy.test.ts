import { describe, expect, test } from "vitest";
import { defaultRetryPolicy, nextAttemptDelayMs } from "./retry-policy.ts";

const failed = { state: "failed", isDisrupted: false } as const;

describe("the next attempt", () => {
  test("follows failures of nodes and evictions, each after twice the delay", () => {
    const delays = [1, 2, 3, 4].map((attempt) =>
      nextAttemptDelayMs(defaultRetryPolicy, attempt, { ...failed, reason: "Evicted" }),
    );
    expect(delays).toEqual([10_000, 20_000, 40_000, undefined]);
  });

  test.each(["NodeLost", "Shutdown", "Preempting"])("follows the reason %s", (reason) => {
    expect(nextAttemptDelayMs(defaultRetryPolicy, 1, { ...failed, reason })).toBe(10_000);
  });

  test("follows the deletion of a pod that the cluster was ending, and no other deletion", () => {
    const deleted = { ...failed, reason: "Deleted" };
    expect(nextAttemptDelayMs(defaultRetryPolicy, 1, { ...deleted, isDisrupted: true })).toBe(10_000);
    expect(nextAttemptDelayMs(defaultRetryPolicy, 1, deleted)).toBeUndefined();
  });

  test("never follows a failure of the application, a rejection, a kill or a success, unless requested", () => {
    const policy = { ...defaultRetryPolicy, maxApplicationAttempts: 2 };
    const error = { ...failed, reason: "Error" };
    expect(nextAttemptDelayMs(defaultRetryPolicy, 1, error)).toBeUndefined();
    expect([1, 2].map((attempt) => nextAttemptDelayMs(policy, attempt, error))).toEqual([10_000, undefined]);
    expect(nextAttemptDelayMs(policy, 1, { ...failed, reason: "Rejected" })).toBeUndefined();
    for (const state of ["killed", "succeeded"] as const)
      expect(nextAttemptDelayMs(policy, 1, { state, isDisrupted: true })).toBeUndefined();
  });

  test("does not follow an eviction for the pod's own disk usage", () => {
    const message = "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.";
    expect(nextAttemptDelayMs(defaultRetryPolicy, 1, { ...failed, reason: "Evicted", message })).toBeUndefined();
  });
});
