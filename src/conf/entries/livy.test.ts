import { expect, test } from "vitest";
import { livyTagSettings } from "./livy.ts";

test("the tag is a label of the pods, and the path of the UI unless each request decides about it", () => {
  const labels = {
    "spark.kubernetes.driver.label.spark-app-tag": "livy-batch-1-abc",
    "spark.kubernetes.executor.label.spark-app-tag": "livy-batch-1-abc",
  };
  const proxyBase = { "spark.ui.proxyBase": "/spark/livy-batch-1-abc" };
  expect(livyTagSettings("livy-batch-1-abc", "/spark")).toEqual({ ...labels, ...proxyBase });
  expect(livyTagSettings("livy-batch-1-abc", undefined)).toEqual(labels);
});
