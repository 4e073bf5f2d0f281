import { expect, test } from "vitest";
import { type TestSubmission, testDriver } from "../plan/test-driver.ts";
import { driverCommand } from "./driver-command.ts";

function contribute(submission: TestSubmission) {
  return driverCommand.contribute(testDriver(submission));
}

const start = ["driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class"];

test.each([
  ["java", "local:///a.jar", ["org.example.Main", "local:///a.jar"]],
  ["java", "https://h/a.jar", ["org.example.Main", "https://h/a.jar"]],
  ["java", "spark-internal", ["org.example.Main", "spark-internal"]],
  ["python", "local:///a.py", ["org.apache.spark.deploy.PythonRunner", "local:///a.py"]],
  ["r", "/here/a.R", ["org.apache.spark.deploy.RRunner", "/here/a.R"]],
] as const)("starts a %s application %s by its class", (kind, uri, args) => {
  const { container, properties } = contribute({ appResource: { kind, uri }, appArgs: ["", "two words"] });
  expect(container).toEqual({ args: [...start, ...args, "", "two words"] });
  expect(properties).toEqual({ "spark.kubernetes.resource.type": kind });
});

test("passes no primary resource for a local jar, which is in the list of jars", () => {
  const driver = testDriver({ appResource: { kind: "java", uri: "file:/me/a.jar" } });
  expect(driverCommand.contribute(driver).container?.args?.at(-1)).toBe("spark-internal");
});

test("puts the proxy user first", () => {
  expect(contribute({ proxyUser: "bob" }).container?.args?.slice(0, 4)).toEqual([
    "driver",
    "--proxy-user",
    "bob",
    "--properties-file",
  ]);
});

test.each([
  ["a", "b", "c", "d", "a", "b"],
  ["a", undefined, "c", "d", "a", "a"],
  [undefined, undefined, "c", "d", "c", "d"],
  [undefined, undefined, "c", undefined, "c", "c"],
  [undefined, "b", undefined, undefined, undefined, "b"],
])("Python settings %s, %s and variables %s, %s give %s and %s", (both, own, env, ownEnv, python, driverPython) => {
  const settings = {
    ...(both === undefined ? {} : { "spark.pyspark.python": both }),
    ...(own === undefined ? {} : { "spark.pyspark.driver.python": own }),
  };
  const { env: variables } = contribute({
    appResource: { kind: "python", uri: "local:///a.py" },
    settings,
    facts: { env: { PYSPARK_PYTHON: env, PYSPARK_DRIVER_PYTHON: ownEnv } },
  });
  expect(Object.fromEntries((variables ?? []).map(({ name, value }) => [name, value]))).toEqual({
    ...(python === undefined ? {} : { PYSPARK_PYTHON: python }),
    PYSPARK_DRIVER_PYTHON: driverPython,
  });
});

test("checks the Python version up to Spark 4.0", () => {
  const submission = {
    appResource: { kind: "python", uri: "local:///a.py" },
    settings: { "spark.kubernetes.pyspark.pythonVersion": "2" },
  } as const;
  const check = (line: TestSubmission["line"] = "4.3") => driverCommand.check?.(testDriver({ ...submission, line }));
  expect(check("4.0")).toHaveLength(1);
  expect(check("4.1")).toEqual([]);
  expect(contribute({ ...submission, line: "3.5" }).warnings).toHaveLength(1);
  expect(contribute(submission).warnings).toEqual([]);
});
