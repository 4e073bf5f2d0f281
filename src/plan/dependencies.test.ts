import { expect, test } from "vitest";
import { testDriver } from "./test-driver.ts";

test("parses the lists of dependencies and the primary resource into URIs", () => {
  const settings = { "spark.jars": "local:///a.jar, file:/me/b.jar", "spark.archives": "s3a://c/d.zip#env" };
  const { application, lists } = testDriver({
    settings: { ...settings, "spark.kubernetes.file.upload.path": "file:///shared" },
  }).dependencies;
  expect(application).toMatchObject({ kind: "containerLocal", text: "local:///opt/app/app.jar" });
  expect(Object.fromEntries(lists)).toMatchObject({
    "spark.jars": [{ kind: "containerLocal" }, { kind: "submitterLocal", path: "/me/b.jar" }],
    "spark.archives": [{ kind: "remote", scheme: "s3a", fragment: "env" }],
    "spark.files": [],
    "spark.submit.pyFiles": [],
  });
});

test("has no application URI when the primary resource is internal", () => {
  const appResource = { kind: "java", uri: "spark-internal" } as const;
  expect(testDriver({ appResource }).dependencies.application).toBeUndefined();
});
