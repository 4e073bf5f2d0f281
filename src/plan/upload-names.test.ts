import { describe, expect, test } from "vitest";
import { planDriver } from "./driver-conf.ts";
import { testDriver, testFacts, testRequest } from "./test-driver.ts";

const shared = { "spark.kubernetes.file.upload.path": "file:///shared" };

function namesOf(settings: Readonly<Record<string, string>>, uploadNames: "unique" | "spark" = "unique") {
  const { uploads, properties } = testDriver({
    settings: { ...shared, ...settings },
    behaviors: { uploadNames },
  }).staged;
  return { names: uploads.map(({ name }) => name), properties };
}

function clashes(
  settings: Readonly<Record<string, string>>,
  uploadNames: "unique" | "spark" = "unique",
): readonly string[] {
  const plan = planDriver(testRequest({ settings: { ...shared, ...settings }, behaviors: { uploadNames } }), testFacts);
  return plan.ok ? [] : plan.issues.map(({ message }) => message);
}

describe("uploads with the same name", () => {
  test("get different names if they are jars", () => {
    const jars = { "spark.jars": "file:/a/same.jar,file:/b/same.jar,file:/a/same.jar,file:/c/other.jar" };
    expect(namesOf(jars).names).toEqual(["same.jar", "same-2.jar", "same.jar", "other.jar"]);
    expect(namesOf(jars).properties["spark.jars"]).toMatch(/\/same-2\.jar,.*\/same\.jar,.*\/other\.jar$/);
    expect(clashes(jars)).toEqual([]);
  });

  test("get different names if they are archives that are unpacked into different directories", () => {
    const archives = { "spark.archives": "file:/a/env.tar.gz#one,file:/b/env.tar.gz#two" };
    expect(namesOf(archives).names).toEqual(["env.tar.gz", "env-2.tar.gz"]);
    expect(namesOf(archives).properties["spark.archives"]).toMatch(/env\.tar\.gz#one,.*env-2\.tar\.gz#two$/);
    expect(clashes(archives)).toEqual([]);
    expect(clashes({ "spark.archives": "file:/a/env.zip,file:/b/env.zip" })).toEqual([
      "Two different files have the same name env.zip in the driver's working directory: /a/env.zip and /b/env.zip.",
    ]);
  });

  test("are rejected if programs open them by name, except the same file twice", () => {
    expect(clashes({ "spark.files": "file:/a/x.conf,file:/b/x.conf" })).toEqual([
      "Two different files have the same name x.conf in the driver's working directory: /a/x.conf and /b/x.conf.",
    ]);
    expect(clashes({ "spark.files": "file:/a/x.py", "spark.submit.pyFiles": "file:/b/x.py" })).toHaveLength(1);
    expect(clashes({ "spark.files": "file:/a/x.conf,file:/a/x.conf,file:/b/x.conf#y.conf" })).toEqual([]);
    expect(clashes({ "spark.files": "file:/a/x.py", "spark.submit.pyFiles": "file:/a/x.py" })).toEqual([]);
  });

  test("replace each other in strict mode, as with Spark", () => {
    const jars = { "spark.jars": "file:/a/same.jar,file:/b/same.jar", "spark.files": "file:/a/x,file:/b/x" };
    expect(namesOf(jars, "spark").names).toEqual(["same.jar", "same.jar", "x", "x"]);
    expect(clashes(jars, "spark")).toEqual([]);
  });
});
