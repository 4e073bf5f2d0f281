import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { type RetryPolicy, retry } from "./retry.ts";

const always = { isTransient: () => true };

/** Runs an attempt that fails with these errors before it succeeds. */
function run(errors: readonly Error[], policy: RetryPolicy) {
  const host = testHost();
  const remaining = [...errors];
  let attempts = 0;
  const done = retry(host, policy, async () => {
    attempts += 1;
    const error = remaining.shift();
    if (error !== undefined) throw error;
    return "done";
  });
  return { result: host.settle(done), attempts: () => attempts, host };
}

const failures = (count: number) => Array.from({ length: count }, (_, index) => new Error(`failure ${index + 1}`));

describe("retry", () => {
  test("repeats transient failures until an attempt succeeds", async () => {
    const { result, attempts } = run(failures(3), always);
    expect(await result).toBe("done");
    expect(attempts()).toBe(4);
  });

  test("throws a permanent failure at once", async () => {
    const { result, attempts } = run(failures(3), { isTransient: () => false });
    await expect(result).rejects.toThrow("failure 1");
    expect(attempts()).toBe(1);
  });

  test("throws the last failure after the maximum number of attempts", async () => {
    const { result, attempts } = run(failures(9), { ...always, maxAttempts: 3 });
    await expect(result).rejects.toThrow("failure 3");
    expect(attempts()).toBe(3);
  });

  test("throws the last failure after the deadline", async () => {
    const { result, attempts } = run(failures(99), { ...always, deadlineMs: 3000 });
    await expect(result).rejects.toThrow("failure");
    expect(attempts()).toBeGreaterThan(1);
  });

  test("restarts the deadline when an attempt makes progress", async () => {
    let progress = 0;
    const policy = { ...always, deadlineMs: 3000, progress: () => (progress += 1) };
    expect(await run(failures(20), policy).result).toBe("done");
  });

  test("uses the delay that a failure specifies and reports each repetition", async () => {
    const reported: unknown[] = [];
    const policy = { ...always, delayMs: () => 0, onRetry: (error: unknown) => reported.push(error) };
    const { result, host } = run(failures(2), policy);
    const before = host.clock.monotonic();
    expect(await result).toBe("done");
    expect(host.clock.monotonic()).toBe(before);
    expect(reported).toHaveLength(2);
  });

  test("throws the reason of its signal", async () => {
    const abort = new AbortController();
    const policy = { ...always, signal: abort.signal, onRetry: () => abort.abort(new Error("stopped")) };
    await expect(run(failures(2), policy).result).rejects.toThrow("stopped");
  });
});
