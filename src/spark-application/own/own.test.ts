import { expect, test } from "vitest";
import { issuesOf } from "../../errors/issue.ts";
import { orThrow } from "../../errors/submit-error.ts";
import { ownJsonSchema } from "./json-schema.ts";
import { isOwnFormat, readOwnApplication, translateOwn } from "./translate-own.ts";

const minimal = { name: "report", app: "report.py" };

function translate(fields: object) {
  const { settings, ...rest } = translateOwn("f", orThrow(readOwnApplication("f", { ...minimal, ...fields })));
  return { ...rest, settings: Object.fromEntries(settings.map(({ key, value }) => [key, value])) };
}

function problems(document: object): readonly string[] {
  return issuesOf(readOwnApplication("f", document)).map(({ message }) => message);
}

test("fields become options and settings, and values of any type become text", () => {
  const { fields, settings, resource, appArgs } = translate({
    class: "Main",
    args: [1, true, "x"],
    conf: { "spark.executor.instances": 4, "spark.ui.enabled": false },
    namespace: "jobs",
    jars: ["a.jar", "b.jar"],
    packages: ["g:a:1"],
  });
  expect(fields).toEqual({
    ...{ deployMode: "cluster", name: "report", mainClass: "Main", jars: "a.jar,b.jar", packages: "g:a:1" },
  });
  expect(settings).toMatchObject({
    "spark.kubernetes.driver.pod.name": "report-driver",
    "spark.executor.instances": "4",
    "spark.ui.enabled": "false",
    "spark.kubernetes.namespace": "jobs",
  });
  expect([resource, appArgs]).toEqual(["report.py", ["1", "true", "x"]]);
});

test("Python is an environment, or an interpreter of the image", () => {
  expect(translate({ python: { environment: "requirements.txt" } }).fields.pythonEnv).toBe("requirements.txt");
  expect(translate({ python: { executable: "/opt/python" } }).settings["spark.pyspark.python"]).toBe("/opt/python");
});

test("wrong, unknown and contradictory fields are rejected together", () => {
  expect(problems({ nam: "x", app: 1 })).toEqual([
    "f: name is missing.",
    "f: app is a number, not a string.",
    "f: there is no field nam.",
  ]);
  expect(problems({ ...minimal, name: "Report" })).toEqual(['f: name is "Report", which is not a DNS label.']);
  const conf = { "spark.kubernetes.namespace": "other" };
  expect(problems({ ...minimal, namespace: "jobs", conf })).toEqual([
    'f: conf.spark.kubernetes.namespace is "other", but namespace is "jobs".',
  ]);
});

test("a document without API version and kind is in the own format", () => {
  expect([isOwnFormat(minimal), isOwnFormat({ kind: "SparkApplication" }), isOwnFormat("x")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("the JSON Schema describes every field and allows no other", () => {
  const schema = ownJsonSchema();
  expect(schema).toMatchObject({
    required: ["name", "app"],
    additionalProperties: false,
    properties: {
      args: { items: { type: ["string", "number", "boolean"] } },
      conf: { additionalProperties: { type: ["string", "number", "boolean"] } },
      restartPolicy: { properties: { type: { enum: ["Never", "Always", "OnFailure"] } } },
      timeToLiveSeconds: { minimum: 0 },
    },
  });
  expect(JSON.stringify(schema)).not.toContain('"description":""');
});
