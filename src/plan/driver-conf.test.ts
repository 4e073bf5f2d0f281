import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Issue } from "../errors/issue.ts";
import { planDriver } from "./driver-conf.ts";
import { type TestSubmission, testDriver, testFacts, testRequest } from "./test-driver.ts";

function issues(submission: TestSubmission): readonly Issue[] {
  const plan = planDriver(testRequest(submission), { ...testFacts, ...submission.facts });
  return plan.ok ? [] : plan.issues;
}

describe("the plan of a driver", () => {
  test("names objects after the application", () => {
    expect(testDriver()).toMatchObject({
      namespace: "default",
      podName: "golden-aaaaaa1-driver",
      serviceName: "golden-aaaaaa1-driver-svc",
      confMapName: "spark-drv-cccccc1-conf-map",
      resourceNamePrefix: "golden-aaaaaa1",
    });
  });

  test("reads the pod's name and the namespace from the settings", () => {
    const settings = { "spark.kubernetes.driver.pod.name": "drv", "spark.kubernetes.namespace": "ns" };
    expect(testDriver({ settings })).toMatchObject({ podName: "drv", namespace: "ns" });
  });

  test("adds Spark's labels to the user's and replaces placeholders where the Spark version does", () => {
    const settings = { "spark.kubernetes.driver.label.app": "{{APP_ID}}-{{EXECUTOR_ID}}x" };
    expect(testDriver({ settings }).labels).toEqual({
      app: `${testFacts.appId}-x`,
      "spark-app-name": "golden",
      "spark-app-selector": testFacts.appId,
      "spark-role": "driver",
      "spark-version": "4.3.0",
    });
    expect(testDriver({ settings, line: "3.5" }).labels["app"]).toBe("{{APP_ID}}-{{EXECUTOR_ID}}x");
  });

  test("reports every problem together, each once", () => {
    const settings = {
      "spark.kubernetes.driver.label.spark-role": "mine",
      "spark.kubernetes.driver.label.spark-version": "1",
      "spark.kubernetes.driver.podTemplateFile": "pod.yml",
      "spark.files": "file:/tmp/a.txt",
    };
    const broken = { code: "SUBMIT_ERR_QUANTITY", message: "found twice" } as const;
    const plan = planDriver(testRequest({ settings }), testFacts, [() => [broken], () => [broken]]);
    expect(!plan.ok && plan.issues.map(({ message }) => message)).toEqual([
      "Could not load pod from template file.",
      "found twice",
      "requirement failed: Label with key spark-version is not allowed as it is reserved for Spark bookkeeping operations.",
      "requirement failed: Label with key spark-role is not allowed as it is reserved for Spark bookkeeping operations.",
      "Cannot send /tmp/a.txt to the pods: it is a directory.",
    ]);
  });

  test("keeps a template whose file was read", () => {
    const settings = { "spark.kubernetes.driver.podTemplateFile": "pod.yml" };
    const facts = { driverTemplate: { spec: { containers: [{ name: "mine" }] } } };
    expect(testDriver({ settings, facts }).template?.container).toEqual({ name: "mine" });
  });
});

test("rejects steps that the user adds, Spark's own with a message of their own", () => {
  const key = "spark.kubernetes.driver.pod.featureSteps";
  const ownStep = "org.apache.spark.deploy.k8s.features.LocalDirsFeatureStep";
  expect(issues({ settings: { [key]: `com.example.Nope,${ownStep}` } })).toMatchObject([
    {
      code: "SUBMIT_ERR_FEATURE_STEP_JAVA",
      message: `The Java class com.example.Nope in ${key} cannot run: Firesteel has no JVM.`,
    },
    { code: "SUBMIT_ERR_FEATURE_STEP_BUILT_IN", message: `${ownStep}.<init>()` },
  ]);
});

test("keeps all labels and annotations of the user except placeholders", () => {
  const names = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("__proto__", "constructor", "a.b/c"));
  const reserved = ["spark-version", "spark-app-selector", "spark-app-name", "spark-role"];
  fc.assert(
    fc.property(
      fc.array(fc.tuple(names, fc.string()), { maxLength: 5 }).map((pairs) => new Map(pairs)),
      (custom) => {
        const settings = Object.fromEntries(
          [...custom].flatMap(([name, value]) => [
            [`spark.kubernetes.driver.label.${name}`, value],
            [`spark.kubernetes.driver.annotation.${name}`, value],
          ]),
        );
        fc.pre(!reserved.some((name) => custom.has(name)));
        const { labels } = testDriver({ settings });
        const added = Object.entries(labels).filter(([name]) => !reserved.includes(name));
        expect(new Map(added)).toEqual(custom);
      },
    ),
  );
});
