import { describe, expect, test } from "vitest";
import { dependencyDirectory, localizedCodes, localizedIssues, stagedFiles } from "./test-localized.ts";

describe("files for executors", () => {
  const settings = {
    "spark.jars": "file:/me/a.jar,https://h/z.jar",
    "spark.files": "file:/me/c",
    "spark.executor.extraClassPath": "/own/*",
  };
  const machine = { "/me/a.jar": "jar", "/me/c": "c" };
  const planned = (mode: string, more: object = {}) =>
    stagedFiles({ machine, settings: { ...settings, "spark.firesteel.staging.mode": mode, ...more } });

  test("include jars on the disk of each; the driver serves the rest", () => {
    const { properties, localized } = planned("everywhere");
    expect(properties).toEqual({
      "spark.jars": "local:///opt/spark-deps/jars/a.jar,https://h/z.jar",
      "spark.files": `${dependencyDirectory}/files/c`,
      "spark.kubernetes.jars.avoidDownloadSchemes": "local",
    });
    expect(localized?.log.text).toContain("it and its executors find them in /opt/spark-deps");
  });

  test("include jars only on the class paths, after those of the user", () => {
    expect(planned("classPathOnly").properties).toEqual({
      "spark.jars": "https://h/z.jar",
      "spark.files": `${dependencyDirectory}/files/c`,
      "spark.driver.extraClassPath": "/opt/spark-deps/jars/*",
      "spark.executor.extraClassPath": "/own/*:/opt/spark-deps/jars/*",
    });
  });

  test("include jars only with drivers that can use them without copying", () => {
    const key = "spark.kubernetes.jars.avoidDownloadSchemes";
    expect(planned("everywhere", { [key]: "https" }).properties[key]).toBe("https,local");
    const mode = { "spark.firesteel.staging.mode": "everywhere" };
    const older = { settings: { ...settings, ...mode }, machine, line: "3.5" } as const;
    expect(localizedIssues(older).map(({ message }) => message)).toEqual([
      "spark.firesteel.staging.mode is everywhere, but a driver of Spark 3.5.9 copies all jars and has executors fetch the copies.",
    ]);
    expect(localizedCodes({ ...older, settings: { ...mode, "spark.files": "file:/me/c" } })).toEqual([]);
  });

  test("need the step that passes the executors' pod template: SUBMIT_ERR_STAGING_MODE", () => {
    const key = "spark.kubernetes.driver.pod.excludedFeatureSteps";
    const excluded = { [key]: "org.apache.spark.deploy.k8s.features.PodTemplateConfigMapStep" };
    const specified = (mode: string) => ({ ...settings, ...excluded, "spark.firesteel.staging.mode": mode });
    for (const mode of ["everywhere", "classPathOnly"]) {
      expect(localizedIssues({ settings: specified(mode), machine }).map(({ message }) => message)).toEqual([
        `spark.firesteel.staging.mode is ${mode}, but ${key} excludes PodTemplateConfigMapStep, without which no executor gets the files.`,
      ]);
    }
    expect(localizedCodes({ settings: specified("driverServed"), machine })).toEqual([]);
    // A Spark that knows no such setting.
    expect(localizedCodes({ settings: specified("everywhere"), machine, line: "4.0" })).toEqual([]);
  });

  test("cannot be sent into the driver's pod: SUBMIT_ERR_STAGING_MODE", () => {
    const mode = { "spark.firesteel.staging.mode": "everywhere" };
    const specified = { ...settings, ...mode, "spark.firesteel.staging.transport": "push" };
    expect(localizedCodes({ settings: specified, machine })).toEqual(["SUBMIT_ERR_STAGING_MODE"]);
    const large = { ...machine, "/me/c": 10_000_000 };
    expect(localizedCodes({ settings: { ...settings, ...mode }, machine: large })).toEqual(["SUBMIT_ERR_STAGING_MODE"]);
  });
});
