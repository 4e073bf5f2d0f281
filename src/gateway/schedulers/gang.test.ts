import { expect, test } from "vitest";
import { gangPod } from "./gang.ts";

const container = (requests: Record<string, string>, limits: Record<string, string> = {}) => {
  return { name: "c", image: "spark", resources: { requests, limits } };
};

test("a pod requests the sum of its containers, or more if an init container does, and limits without a request", () => {
  const nodeSelector = { pool: "spark" };
  const spec = {
    containers: [container({ cpu: "1", memory: "1Gi" }, { "nvidia.com/gpu": "2" }), container({ cpu: "250m" })],
    initContainers: [container({ cpu: "500m", memory: "3Gi" }), container({ memory: "2Gi", "example.com/port": "1" })],
    nodeSelector,
  };
  expect(gangPod({ spec })).toEqual({
    requests: { cpu: "1250m", memory: "3Gi", "nvidia.com/gpu": "2", "example.com/port": "1" },
    nodeSelector,
  });
});

test("a sidecar runs beside the containers", () => {
  const sidecar = { ...container({ cpu: "500m" }), restartPolicy: "Always" };
  const spec = { containers: [container({ cpu: "1" })], initContainers: [sidecar] };
  expect(gangPod({ spec }).requests).toEqual({ cpu: "1500m" });
});
