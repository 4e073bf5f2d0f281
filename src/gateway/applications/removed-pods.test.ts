import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import { removedPods } from "./removed-pods.ts";

test("a removed pod is known in its namespace only, and for an hour", async () => {
  const clock = testClock(0);
  const pods = removedPods(clock);
  const pod = { namespace: "ns", podName: "pi-driver" };
  pods.add(pod);
  expect([pods.has(pod), pods.has({ ...pod, namespace: "other" })]).toEqual([true, false]);
  await clock.settle(clock.sleep(3_600_000));
  expect(pods.has(pod)).toBe(false);
});
