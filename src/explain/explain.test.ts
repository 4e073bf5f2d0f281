import { describe, expect, test } from "vitest";
import { nameOfCause } from "./cause.ts";
import { type ExplainedField, explainSubmission } from "./explain.ts";
import { testSubmission } from "./test-submission.ts";

function explain(options: Parameters<typeof testSubmission>[0]): (id: string) => ExplainedField {
  const explained = explainSubmission(testSubmission(options));
  if (!explained.ok) throw new Error(JSON.stringify(explained.issues));
  return (fieldId) => {
    const found = explained.value.fields.find(({ objectId, path }) => `${objectId} ${path}` === fieldId);
    if (found === undefined) throw new Error(`no field ${fieldId}`);
    return found;
  };
}

const limits = "driver spec.containers[spark-kubernetes-driver].resources.limits";

const names = ({ causes }: ExplainedField) => causes.map((cause) => `${cause.kind} ${nameOfCause(cause)}`);

describe("explainSubmission", () => {
  test("returns the step, then all settings and defaults on which a field depends", () => {
    const field = explain({ settings: { "spark.driver.memory": "4g", "spark.driver.memoryOverhead": "1g" } });
    const { value, steps, causes } = field(`${limits}.memory`);
    expect([value, steps]).toEqual(["5120Mi", ["BasicDriverFeatureStep"]]);
    expect(causes.slice(0, 2)).toMatchObject([
      { kind: "setting", key: "spark.driver.memory", value: "4g" },
      { kind: "setting", key: "spark.driver.memoryOverhead", value: "1g" },
    ]);
    expect(causes).toContainEqual({
      kind: "default",
      key: "spark.kubernetes.memoryOverheadFactor",
      value: "0.1",
    });
  });

  test("returns no causes for constants", () => {
    const field = explain({});
    expect(field("driver spec.restartPolicy")).toMatchObject({
      steps: ["BasicDriverFeatureStep"],
      causes: [],
    });
    expect(field("driver kind")).toMatchObject({ steps: [], causes: [] });
  });

  test("returns for each field of a part only the settings that were copied into it", () => {
    const field = explain({
      settings: { "spark.kubernetes.driver.label.team": "a", "spark.kubernetes.driverEnv.FOO": "bar" },
    });
    expect(names(field("driver metadata.labels.team"))).toEqual(["setting spark.kubernetes.driver.label.team"]);
    expect(names(field("driver metadata.labels[spark-role]"))).toEqual([]);
    expect(names(field("driver metadata.labels[spark-version]"))).toEqual(["version Spark 4.3.0"]);
    const container = "driver spec.containers[spark-kubernetes-driver]";
    expect(names(field(`${container}.env[FOO].value`))).toEqual(["setting spark.kubernetes.driverEnv.FOO"]);
    expect(names(field(`${container}.image`))).toEqual(["setting spark.kubernetes.container.image"]);
  });

  test("accepts lists with empty items", () => {
    const field = explain({ settings: { "spark.kubernetes.container.image.pullSecrets": "a,,b," } });
    expect(names(field("driver spec.imagePullSecrets[a].name"))).toContain(
      "setting spark.kubernetes.container.image.pullSecrets",
    );
  });

  test("returns the settings of a volume for its fields only", () => {
    const prefix = "spark.kubernetes.driver.volumes.nfs.data";
    const field = explain({
      settings: {
        [`${prefix}.mount.path`]: "/d",
        [`${prefix}.options.server`]: "srv",
        [`${prefix}.options.path`]: "/e",
      },
    });
    expect(names(field("driver spec.volumes[data].nfs.server"))).toContain(`setting ${prefix}.options.server`);
    const directories = "driver spec.containers[spark-kubernetes-driver].env[SPARK_LOCAL_DIRS].value";
    expect(names(field(directories)).filter((name) => name.includes(prefix))).toEqual([]);
  });

  test("distinguishes variables, arguments and generated IDs", () => {
    const field = explain({ facts: { env: { SPARK_USER: "eve" } }, appArgs: ["10"] });
    const container = "driver spec.containers[spark-kubernetes-driver]";
    expect(names(field(`${container}.env[SPARK_USER].value`))).toEqual(["variable SPARK_USER"]);
    expect(names(field(`${container}.args[6]`))).toContain("argument application arguments");
    expect(names(field(`${container}.args[4]`))).toContain("argument main class");
    expect(names(field("driver metadata.labels[spark-app-selector]"))).toEqual(["generated application ID"]);
  });

  test("returns the Spark line that introduced a field", () => {
    const field = explain({});
    const escalation = "securityContext.allowPrivilegeEscalation";
    expect(field(`driver spec.containers[spark-kubernetes-driver].${escalation}`).causes).toContainEqual({
      kind: "release",
      line: "4.3",
      before: "4.2",
    });
    expect(field("executor spec.terminationGracePeriodSeconds").causes).toContainEqual({
      kind: "release",
      line: "4.3",
      before: "4.0",
    });
    expect(names(field("Service/driver-svc spec.clusterIP"))).toEqual([]);
  });

  test("returns the setting of the pod template for a field of the template", () => {
    const key = "spark.kubernetes.driver.podTemplateFile";
    const driverTemplate = {
      kind: "Pod",
      spec: { priorityClassName: "high", containers: [{ name: "own" }] },
    };
    const field = explain({ settings: { [key]: "/t.yml" }, facts: { driverTemplate } });
    expect(field("driver spec.priorityClassName")).toMatchObject({ steps: [], causes: [{ key }] });
    expect(field("driver spec.containers[own].name").causes).toMatchObject([{ key }]);
  });

  test("explains executors and the driver's properties", () => {
    const field = explain({ settings: { "spark.executor.cores": "3" } });
    const cpu = field("executor spec.containers[spark-kubernetes-executor].resources.requests.cpu");
    expect([cpu.value, cpu.steps, names(cpu)[0]]).toEqual([
      "3",
      ["BasicExecutorFeatureStep"],
      "setting spark.executor.cores",
    ]);
    const port = field("ConfigMap/conf-map data[spark.properties][spark.driver.port]");
    expect([port.steps, names(port)]).toEqual([["DriverServiceFeatureStep"], ["default spark.driver.port"]]);
    expect(names(field("ConfigMap/conf-map data[spark.properties][spark.executor.cores]"))).toEqual([
      "setting spark.executor.cores",
    ]);
  });

  test("succeeds if the driver cannot create executors", () => {
    const field = explain({ settings: { "spark.executor.cores": "x" } });
    expect(field("driver spec.restartPolicy").value).toBe("Never");
  });
});
