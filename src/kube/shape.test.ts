import { expect, test } from "vitest";
import { type Shape, shapeProblem } from "./shape.ts";

const shape = {
  "metadata!": { labels: "texts" },
  status: { codes: ["number"], limits: "scalars", ready: "flag", reason: "text", state: {} },
} as const satisfies Shape;

test.each([
  [{ metadata: {} }, undefined],
  [
    { metadata: { labels: { a: "b" } }, other: [1], status: { codes: [1, 2], limits: { cpu: 1, memory: "1Gi" } } },
    undefined,
  ],
  [null, "it is null, not an object"],
  [[], "it is a list, not an object"],
  ["page", "it is a string, not an object"],
  [{}, "metadata is missing"],
  [{ metadata: null }, "metadata is missing"],
  [{ metadata: [[]] }, "metadata is a list, not an object"],
  [{ metadata: { labels: { "a b": {} } } }, 'metadata.labels["a b"] is an object, not a string'],
  [{ metadata: {}, status: { codes: 1 } }, "status.codes is a number, not a list"],
  [{ metadata: {}, status: { codes: [1, null] } }, "status.codes[1] is null, not a number"],
  [{ metadata: {}, status: { limits: { cpu: [] } } }, 'status.limits["cpu"] is a list, not a string or a number'],
  [{ metadata: {}, status: { ready: "true" } }, "status.ready is a string, not true or false"],
  [{ metadata: {}, status: { state: "x" } }, "status.state is a string, not an object"],
])("%j: %s", (value, problem) => {
  expect(shapeProblem(value, shape, "")).toBe(problem);
});

test("fields that are null are removed, as Go reads them", () => {
  const value = { metadata: { labels: { a: null, b: "c" } }, status: { codes: null, reason: null }, data: null };
  expect(shapeProblem(value, shape, "")).toBeUndefined();
  expect(value).toEqual({ metadata: { labels: { b: "c" } }, status: {}, data: null });
});
