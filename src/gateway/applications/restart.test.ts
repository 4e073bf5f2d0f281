import { describe, expect, test } from "vitest";
import type { ApplicationEnd } from "../model/application.ts";
import { countAttempt, isTimeOver, restartDelayMs } from "./restart.ts";

const failed: ApplicationEnd = { state: "failed", atMs: 0, hasStarted: true, exitCode: 1 };
const rejected: ApplicationEnd = { state: "failed", atMs: 0, hasStarted: false, reason: "Rejected" };
const times = { submittedMs: 100_000, nowMs: 103_000 };
const onFailure = {
  type: "OnFailure",
  ...{ onFailureRetries: 2, onFailureRetryInterval: 10 },
  ...{ onSubmissionFailureRetries: 1, onSubmissionFailureRetryInterval: 20 },
} as const;

/** Returns the delays after each of these ends. */
function delaysAfter(
  restartPolicy: { readonly type: "OnFailure" | "Always" | "Never" },
  ends: readonly ApplicationEnd[],
): readonly (number | undefined)[] {
  let counted = { submissions: 0, executions: 0 };
  return ends.map((end) => {
    const delayMs = restartDelayMs({ lifetime: { restartPolicy }, counted }, end, times);
    counted = countAttempt({ counted }, end);
    return delayMs;
  });
}

describe("the restart policy", () => {
  test("repeats failures as often as it says, each later", () => {
    expect(delaysAfter(onFailure, [failed, failed, failed])).toEqual([7000, 17_000, undefined]);
  });

  test("repeats rejected submissions as often as it says", () => {
    expect(delaysAfter(onFailure, [rejected, rejected])).toEqual([17_000, undefined]);
  });

  test("Always also repeats a success, and Never nothing", () => {
    const succeeded: ApplicationEnd = { ...failed, state: "succeeded" };
    expect(delaysAfter({ type: "Always" }, [succeeded, succeeded])).toEqual([0, 0]);
    expect(delaysAfter(onFailure, [succeeded])).toEqual([undefined]);
    expect(delaysAfter({ type: "Never" }, [failed])).toEqual([undefined]);
  });

  test("does not repeat what a client has killed", () => {
    const lifetime = { restartPolicy: { type: "Always" } } as const;
    expect(restartDelayMs({ lifetime }, { ...failed, state: "killed" }, times)).toBeUndefined();
    const killed = { by: "alice", atMs: 1 };
    expect(restartDelayMs({ lifetime, killed }, { ...failed, state: "succeeded" }, times)).toBeUndefined();
  });
});

test("the time to live counts from the end", () => {
  const record = { lifetime: { timeToLiveSeconds: 60 } };
  expect([159_999, 160_000].map((nowMs) => isTimeOver(record, 100_000, nowMs))).toEqual([false, true]);
  expect(isTimeOver({}, 0, 1e12)).toBe(false);
});
