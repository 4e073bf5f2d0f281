import { describe, expect, test } from "vitest";
import { featureStepIssues } from "../plan/feature-step-issues.ts";
import { type TestSubmission, testDriver, testFacts, testRequest } from "../plan/test-driver.ts";
import { basicDriver } from "./basic-driver.ts";
import { volcano } from "./volcano.ts";

const added = {
  "spark.kubernetes.driver.pod.featureSteps": "org.apache.spark.deploy.k8s.features.VolcanoFeatureStep",
};
const name = `${testFacts.appId}-podgroup`;

function driverWith(podGroupTemplate: unknown, settings: Readonly<Record<string, string>> = added) {
  return testDriver({ settings, facts: { podGroupTemplate } });
}

function buildAnnotations(settings: Readonly<Record<string, string>>) {
  const driver = testDriver({ settings });
  return [basicDriver, volcano].map((step) => step.contribute(driver).annotations ?? {});
}

describe("Volcano's step", () => {
  test("creates an empty PodGroup before the pod and annotates the pod with its name", () => {
    expect(volcano.contribute(driverWith(undefined))).toEqual({
      annotations: { "scheduling.k8s.io/group-name": name },
      preResources: [
        {
          apiVersion: "scheduling.volcano.sh/v1beta1",
          kind: "PodGroup",
          metadata: { name, namespace: "default" },
          spec: {},
        },
      ],
    });
  });

  test("keeps a template except its name and namespace", () => {
    const template = {
      apiVersion: "v1",
      metadata: { name: "mine", namespace: "other", labels: { a: "b" } },
      spec: { minMember: "3", queue: 5, minResources: { cpu: 2, "nvidia.com/gpu": 1 }, other: true },
      more: 1,
    };
    expect(volcano.contribute(driverWith(template)).preResources).toEqual([
      {
        apiVersion: "scheduling.volcano.sh/v1beta1",
        kind: "PodGroup",
        metadata: { name, namespace: "default", labels: { a: "b" } },
        spec: { minMember: 3, queue: "5", minResources: { cpu: "2", "nvidia.com/gpu": "1" }, other: true },
        more: 1,
      },
    ]);
  });

  test.each([
    ["text", "it has no fields."],
    [null, "it has no fields."],
    [[], "it has no fields."],
    [{ kind: "ConfigMap" }, "it is of kind ConfigMap, not PodGroup."],
    [{ spec: [] }, "spec is not an object."],
    [{ metadata: "x" }, "metadata is not an object."],
  ])("rejects the template %j", (template, reason) => {
    expect(volcano.check?.(driverWith(template))).toMatchObject([
      {
        code: "SUBMIT_ERR_POD_GROUP_TEMPLATE",
        message: expect.stringContaining(`is invalid: ${reason}`),
      },
    ]);
  });

  test("overrides the pod's group", () => {
    const annotation = "scheduling.k8s.io/group-name";
    const settings = { [`spark.kubernetes.driver.annotation.${annotation}`]: "mine" };
    const built = buildAnnotations({ ...added, ...settings });
    expect(built).toEqual([{}, { [annotation]: name }]);
    expect(buildAnnotations(settings)).toEqual([{ [annotation]: "mine" }, {}]);
  });

  test("applies only if it is added and not excluded", () => {
    expect(volcano.contribute(driverWith(undefined, {}))).toEqual({});
    const excluded = {
      ...added,
      "spark.kubernetes.driver.pod.excludedFeatureSteps": "org.apache.spark.deploy.k8s.features.VolcanoFeatureStep",
    };
    expect(volcano.contribute(driverWith({ spec: [] }, excluded))).toEqual({});
    expect(volcano.check?.(driverWith({ spec: [] }, excluded))).toEqual([]);
  });

  test.each<[TestSubmission, number]>([
    [{ line: "4.1" }, 0],
    [{ line: "4.1", behaviors: { volcanoStep: "spark" } }, 1],
    [{ line: "4.2", behaviors: { volcanoStep: "spark" } }, 0],
  ])("is not in Apache's builds before Spark 4.2: %j", (submission, count) => {
    expect(featureStepIssues(testRequest({ ...submission, settings: added }))).toHaveLength(count);
  });
});
