import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import { requestLimits } from "./request-limits.ts";

test("a user who has sent as many requests as a second permits waits for the next one", async () => {
  const clock = testClock(0);
  const admit = requestLimits(clock, { userRate: 2 });
  const statuses = (user: string) => [1, 2, 3].map(() => admit(user).ok);
  expect(statuses("alice")).toEqual([true, true, false]);
  expect(statuses("bob")).toEqual([true, true, false]);
  await clock.advance(500);
  expect(statuses("alice")).toEqual([true, false, false]);
  await clock.advance(60_000);
  expect(statuses("alice")).toEqual([true, true, false]);
});

test("a rejected request names the limit and the time to wait", () => {
  const admit = requestLimits(testClock(0), { userRate: 1 });
  admit(undefined);
  expect(admit(undefined)).toEqual({
    ok: false,
    rejection: { status: 429, message: "A user may send 1 requests per second.", headers: { "retry-after": "1" } },
  });
});

test("requests at the same time are limited until one ends", () => {
  const admit = requestLimits(testClock(0), { userConcurrent: 1 });
  const first = admit("alice");
  expect(admit("alice")).toMatchObject({ rejection: { status: 429 } });
  expect(admit("bob").ok).toBe(true);
  if (first.ok) first.release();
  expect(admit("alice").ok).toBe(true);
});

test("without limits, all requests are admitted", () => {
  const admit = requestLimits(testClock(0), {});
  expect(Array.from({ length: 1000 }, () => admit("alice").ok)).not.toContain(false);
});
