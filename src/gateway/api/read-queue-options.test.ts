import { expect, test } from "vitest";
import { readQueueOptions } from "./read-queue-options.ts";

test("reads the queue and the priority", () => {
  expect(readQueueOptions(new URLSearchParams("queue=nightly&priority=-5"))).toEqual({
    ok: true,
    value: { queue: "nightly", priority: -5 },
  });
  expect(readQueueOptions(new URLSearchParams())).toEqual({ ok: true, value: {} });
});

test("reports every unknown or invalid parameter", () => {
  const read = readQueueOptions(new URLSearchParams("queue=a b&priority=high&speed=1"));
  expect(read.ok ? [] : read.issues.map(({ message }) => message)).toEqual([
    "Invalid value '1' for speed; allowed: only the parameters queue, priority.",
    "Invalid value 'a b' for queue; allowed: letters, digits, '_', '.' and '-'.",
    "Invalid value 'high' for priority; allowed: an integer.",
  ]);
});
