import { expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { podTemplateConfigMap } from "./pod-template-config-map.ts";

test("passes the executors' template to the driver in a ConfigMap", () => {
  const driver = testDriver({ facts: { executorTemplateText: "spec: {}\n" } });
  const name = "golden-aaaaaa1-driver-podspec-conf-map";
  expect(podTemplateConfigMap.contribute(driver)).toEqual({
    volumes: [
      {
        name: "pod-template-volume",
        configMap: { name, items: [{ key: "podspec-configmap-key", path: "pod-spec-template.yml" }] },
      },
    ],
    mounts: [{ name: "pod-template-volume", mountPath: "/opt/spark/pod-template" }],
    properties: {
      "spark.kubernetes.executor.podTemplateFile": "/opt/spark/pod-template/pod-spec-template.yml",
    },
    resources: [
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name },
        immutable: true,
        data: { "podspec-configmap-key": "spec: {}\n" },
      },
    ],
  });
});

test("adds nothing without a template", () => {
  expect(podTemplateConfigMap.contribute(testDriver())).toEqual({});
});
