import { expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { networkPolicy } from "./network-policy.ts";

test("allows only pods of the application to connect to its executors", () => {
  const driver = testDriver({ settings: { "spark.kubernetes.namespace": "np" } });
  const application = { "spark-app-selector": driver.appId };
  expect(networkPolicy.contribute(driver).resources).toEqual([
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "golden-aaaaaa1-policy", namespace: "np", labels: application },
      spec: {
        podSelector: { matchLabels: { ...application, "spark-role": "executor" } },
        ingress: [{ from: [{ podSelector: { matchLabels: application } }] }],
      },
    },
  ]);
});

test("adds nothing before Spark 4.2", () => {
  expect(networkPolicy.contribute(testDriver({ line: "4.1" }))).toEqual({});
});
