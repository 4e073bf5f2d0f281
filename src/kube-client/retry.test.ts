import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { type RetryPolicy, retryPolicy } from "./retry.ts";
import { type FailedAttempt, retryDelayMs } from "./retry-delay.ts";

/** Returns the delays before each retry. */
function delays(policy: RetryPolicy, failed: Omit<FailedAttempt, "attempt">): readonly number[] {
  const delays: number[] = [];
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const delay = retryDelayMs(policy, { ...failed, attempt });
    if (delay === undefined) break;
    delays.push(delay);
  }
  return delays;
}

describe("delays between attempts", () => {
  test("double, and are more when the server responds", () => {
    expect(delays({}, { hasResponse: true })).toEqual([100, 200, 400, 800, 1600, 3200]);
    expect(delays({}, { hasResponse: false })).toEqual([100, 200, 400]);
    expect(delays({ retries: 8 }, { hasResponse: false }).slice(5)).toEqual([3200, 3200, 3200]);
    expect(delays({ retries: 0 }, { hasResponse: true })).toEqual([]);
  });

  test("are never shorter than Retry-After, and end the retries when that is too long", () => {
    expect(delays({}, { hasResponse: true, retryAfterMs: 1000 })).toEqual([1000, 1000, 1000, 1000, 1600, 3200]);
    expect(delays({}, { hasResponse: true, retryAfterMs: 61_000 })).toEqual([]);
  });

  test("are up to 25% longer at random", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.nat(20),
        fc.nat(60_000),
        (random, attempt, retryAfterMs) => {
          const failed = { attempt, hasResponse: true, retryAfterMs };
          const least = retryDelayMs({ retries: 99 }, failed) ?? 0;
          const delay = retryDelayMs({ retries: 99, fraction: () => random }, failed) ?? 0;
          expect(delay).toBeGreaterThanOrEqual(Math.max(least, retryAfterMs));
          expect(delay).toBeLessThan(least * 1.25 + 1);
        },
      ),
    );
  });

  test("are set by environment variables; other text than numbers is ignored", () => {
    const policy = (env: Readonly<Record<string, string>>, requestRetries: "byReason" | "spark" = "byReason") =>
      retryPolicy(testHost({ env }), { requestRetries });
    const env = {
      KUBERNETES_REQUEST_RETRY_BACKOFFLIMIT: "1",
      KUBERNETES_REQUEST_RETRY_BACKOFFINTERVAL: "1000",
    };
    expect(delays(policy(env), { hasResponse: true })).toEqual([1125]);
    expect(policy({ KUBERNETES_REQUEST_RETRY_BACKOFFLIMIT: "-1" }).retries).toBeUndefined();
    expect(policy({}, "spark").retries).toBe(3);
    expect(policy(env, "spark").retries).toBe(1);
  });
});
