import { describe, expect, test } from "vitest";
import { toApplication } from "./to-application.ts";

function convert(changes: Partial<Parameters<typeof toApplication>[0]>) {
  return toApplication({
    ...{ appResource: "local:///app.jar", mainClass: "Main", appArgs: [], sparkProperties: {} },
    ...{ environmentVariables: {}, unknownFields: [], ...changes },
  });
}

describe("toApplication", () => {
  test.each([
    ["file:/opt/a.jar", "local:///opt/a.jar"],
    ["file:///opt/a.jar", "local:///opt/a.jar"],
    ["/opt/a.jar", "local:///opt/a.jar"],
    ["a.jar", "local:///opt/spark/work-dir/a.jar"],
    ["s3a://bucket/a.jar", "s3a://bucket/a.jar"],
  ])("converts the path %s to %s", (appResource, resource) => {
    expect(convert({ appResource }).submission.resource).toBe(resource);
  });

  test("omits what describes the master, and the application among the jars", () => {
    const sparkProperties = {
      ...{ "spark.master": "spark://m:6066", "spark.submit.deployMode": "cluster", "spark.app.name": "app" },
      ...{ "spark.app.submitTime": "1", "spark.driver.supervise": "false", "spark.master.rest.enabled": "true" },
      ...{ "spark.submit.pyFiles": "", "spark.jars": "file:/opt/a.jar,/opt/b.jar", "spark.ui.enabled": "" },
    };
    expect(convert({ appResource: "file:/opt/a.jar", sparkProperties })).toMatchObject({
      name: "app",
      submission: {
        settings: { "spark.app.name": "app", "spark.jars": "local:///opt/b.jar", "spark.ui.enabled": "" },
        fields: { mainClass: "Main" },
      },
    });
  });

  test("sets the client's variables for the driver, except those of its machine and user", () => {
    const environmentVariables = { A: "1", B: "2", SPARK_HOME: "/x", SPARK_USER: "root", SPARK_SCALA_VERSION: "2.13" };
    const sparkProperties = { "spark.kubernetes.driverEnv.B": "3" };
    expect(convert({ environmentVariables, sparkProperties }).submission.settings).toEqual({
      "spark.kubernetes.driverEnv.A": "1",
      "spark.kubernetes.driverEnv.B": "3",
    });
  });

  test("does not replace references to variables of the server", () => {
    const sparkProperties = { "spark.x": "{{HOME}}" };
    expect(convert({ sparkProperties }).submission.settings).toEqual(sparkProperties);
  });

  test.each([
    [{ "spark.cores.max": "5", "spark.executor.cores": "2" }, "2"],
    [{ "spark.cores.max": "1", "spark.executor.cores": "2" }, "1"],
    [{ "spark.cores.max": "4", "spark.executor.cores": "2", "spark.executor.instances": "7" }, "7"],
    [{ "spark.cores.max": "4" }, undefined],
    [{ "spark.cores.max": "4", "spark.executor.cores": "2", "spark.dynamicAllocation.enabled": "true" }, undefined],
  ])("derives the number of executors of %o", (sparkProperties, instances) => {
    expect(convert({ sparkProperties }).submission.settings["spark.executor.instances"]).toBe(instances);
  });
});
