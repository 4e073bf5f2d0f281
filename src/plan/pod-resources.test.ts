import { expect, test } from "vitest";
import { planDriverResources } from "./driver-resources.ts";
import { planExecutorResources } from "./executor-resources.ts";
import { unrecorded } from "./plan-part.ts";
import { testRequest } from "./test-driver.ts";

test("plans the resources of a driver from its settings", () => {
  const settings = {
    "spark.driver.memory": "1g",
    "spark.kubernetes.driver.request.cores": "0.50",
    "spark.kubernetes.driver.limit.cores": "2",
    "spark.driver.resource.gpu.amount": "2",
    "spark.driver.resource.gpu.vendor": "nvidia.com",
  };
  expect(planDriverResources(unrecorded({ conf: testRequest({ settings }).conf, kind: "java" }))).toEqual({
    resources: {
      cpuRequest: "0.50",
      cpuLimit: "2",
      memoryMiB: 1408,
      overheadFactor: 0.1,
      customLimits: { "nvidia.com/gpu": "2" },
    },
    issues: [],
  });
});

test("plans the resources of an executor from the defaults when nothing is set", () => {
  expect(planExecutorResources(unrecorded({ conf: testRequest().conf, kind: "java" })).resources).toEqual({
    cores: 1,
    cpuRequest: "1",
    cpuLimit: undefined,
    memoryMiB: 1408,
    heapMiB: 1024,
    customLimits: {},
  });
});

test("reports all invalid quantities and amounts of a role together", () => {
  const settings = {
    "spark.kubernetes.executor.request.cores": "2",
    "spark.kubernetes.executor.limit.cores": "1",
    "spark.executor.resource.gpu.amount": "many",
    "spark.kubernetes.driver.request.cores": "1e3k",
    "spark.driver.resource.gpu.vendor": "nvidia.com",
  };
  const part = unrecorded({ conf: testRequest({ settings }).conf, kind: "java" as const });
  expect(planExecutorResources(part).issues.map(({ code }) => code)).toEqual([
    "SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT",
    "SUBMIT_ERR_EXECUTOR_CPU_LIMIT",
  ]);
  expect(planDriverResources(part).issues.map(({ code }) => code)).toEqual([
    "SUBMIT_ERR_QUANTITY",
    "SUBMIT_ERR_DRIVER_RESOURCE",
  ]);
});
