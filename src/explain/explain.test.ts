import { describe, expect, test } from "vitest";
import { type ExplainedField, explainSubmission } from "./explain.ts";
import { testSubmission } from "./test-submission.ts";

function explain(options: Parameters<typeof testSubmission>[0]): (id: string) => ExplainedField {
  const explained = explainSubmission(testSubmission(options));
  if (!explained.ok) throw new Error(JSON.stringify(explained.issues));
  return (fieldId) => {
    const found = explained.value.find(({ objectId, path }) => `${objectId} ${path}` === fieldId);
    if (found === undefined) throw new Error(`no field ${fieldId}`);
    return found;
  };
}

const limits = "driver spec.containers[spark-kubernetes-driver].resources.limits";

describe("explainSubmission", () => {
  test("returns the step and all settings of a field, with its values without them", () => {
    const field = explain({ settings: { "spark.driver.memory": "4g", "spark.driver.memoryOverhead": "1g" } });
    expect(field(`${limits}.memory`)).toMatchObject({
      value: "5120Mi",
      steps: ["BasicDriverFeatureStep"],
      reasons: [
        { cause: { kind: "setting", key: "spark.driver.memory" }, without: "2048Mi", force: "changes" },
        { cause: { key: "spark.driver.memoryOverhead" }, without: "4505Mi", force: "changes" },
      ],
    });
  });

  test("returns no reasons for defaults", () => {
    const field = explain({});
    expect(field("driver spec.restartPolicy")).toMatchObject({
      steps: ["BasicDriverFeatureStep"],
      reasons: [],
    });
    expect(field("driver kind")).toMatchObject({ steps: [], reasons: [] });
  });

  test("returns a setting that equals the default", () => {
    const field = explain({ settings: { "spark.driver.memory": "1g" } });
    expect(field(`${limits}.memory`).reasons).toMatchObject([
      { cause: { key: "spark.driver.memory" }, without: "1408Mi", force: "same" },
    ]);
  });

  test("returns a setting that the submission requires", () => {
    const field = explain({});
    expect(field("driver spec.containers[spark-kubernetes-driver].image").reasons).toMatchObject([
      { cause: { key: "spark.kubernetes.container.image" }, force: "needed" },
    ]);
  });

  test("distinguishes variables, arguments and generated IDs", () => {
    const field = explain({ facts: { env: { SPARK_USER: "eve" } }, appArgs: ["10"] });
    const container = "driver spec.containers[spark-kubernetes-driver]";
    expect(field(`${container}.env[SPARK_USER].value`).reasons).toEqual([
      { cause: { kind: "variable", name: "SPARK_USER" }, without: "tester", force: "changes" },
    ]);
    expect(field(`${container}.args[6]`).reasons).toMatchObject([
      { cause: { kind: "word", what: "application arguments" }, without: undefined },
    ]);
    expect(field("driver metadata.labels[spark-app-selector]").reasons).toMatchObject([
      { cause: { kind: "chance", what: "application id" } },
    ]);
  });

  test("returns the Spark line that introduced a field", () => {
    const field = explain({});
    const escalation = "securityContext.allowPrivilegeEscalation";
    expect(field(`driver spec.containers[spark-kubernetes-driver].${escalation}`).reasons).toMatchObject([
      { cause: { kind: "release", line: "4.3", before: "4.2" }, without: undefined },
    ]);
    expect(field("executor spec.terminationGracePeriodSeconds").reasons).toMatchObject([
      { cause: { kind: "release", before: "4.0" } },
    ]);
  });

  test("returns the setting of the pod template for a field of the template", () => {
    const key = "spark.kubernetes.driver.podTemplateFile";
    const driverTemplate = {
      kind: "Pod",
      spec: { priorityClassName: "high", containers: [{ name: "own" }] },
    };
    const field = explain({ settings: { [key]: "/t.yml" }, facts: { driverTemplate } });
    expect(field("driver spec.priorityClassName")).toMatchObject({
      steps: [],
      reasons: [{ cause: { key } }],
    });
    expect(field("driver spec.containers[own].name").reasons).toMatchObject([
      { cause: { key }, without: "spark-kubernetes-driver" },
    ]);
  });

  test("explains executors and the driver's properties", () => {
    const field = explain({ settings: { "spark.executor.cores": "3" } });
    expect(field("executor spec.containers[spark-kubernetes-executor].resources.requests.cpu")).toMatchObject(
      {
        value: "3",
        steps: ["BasicExecutorFeatureStep"],
        reasons: [{ cause: { key: "spark.executor.cores" }, without: "1" }],
      },
    );
    expect(field("ConfigMap/conf-map data[spark.properties][spark.driver.port]").steps).toEqual([
      "DriverServiceFeatureStep",
    ]);
    expect(field("ConfigMap/conf-map data[spark.properties][spark.executor.cores]").reasons).toMatchObject([
      { cause: { key: "spark.executor.cores" } },
    ]);
  });

  test("succeeds if the driver cannot create executors", () => {
    const field = explain({ settings: { "spark.executor.cores": "x" } });
    expect(field("driver spec.restartPolicy").value).toBe("Never");
  });
});
