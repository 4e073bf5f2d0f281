import { expect, test } from "vitest";
import { oomScoreAdjustment } from "./oom-score.ts";

const guaranteed = { cpu: "1", memory: "1Gi" };

test.each([
  ["best effort", {}, 1000],
  ["guaranteed", { limits: guaranteed, requests: guaranteed }, 0],
  ["burstable with a quarter of the memory", { requests: { memory: "1Gi" } }, 750],
  ["burstable with a limit only", { limits: { memory: "2Gi" } }, 500],
  ["burstable without memory", { requests: { cpu: "1" } }, 999],
  ["burstable with all of the memory", { requests: { memory: "4Gi" } }, 3],
])("a container is killed for lack of memory in the kubelet's order: %s", (_, resources, expected) => {
  const container = { name: "a", resources };
  expect(oomScoreAdjustment({ containers: [container] }, container, 4 * 1024 ** 3)).toBe(expected);
});
