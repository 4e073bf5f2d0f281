import { describe, expect, test } from "vitest";
import { uncheckedPrefixes } from "../conf/entries/checked-prefixes.ts";
import { declaredEntries, isEntry } from "../conf/entries/topics.ts";
import { knownKeys } from "../conf/known-settings.ts";
import type { SparkLine } from "../conf/spark-version.ts";
import { ignoredSettingLog, unknownFiresteelSettingIssues } from "./ignored-settings.ts";
import { testRequest } from "./test-driver.ts";

function found(settings: Readonly<Record<string, string>>, line: SparkLine = "4.3") {
  const { conf } = testRequest({ settings, line });
  return {
    warnings: ignoredSettingLog(conf).map(({ text }) => text),
    issues: unknownFiresteelSettingIssues(conf),
  };
}

describe("a setting of Spark on Kubernetes", () => {
  test.each([
    "spark.kubernetes.namespace",
    "spark.kubernetes.executor.volumes.emptyDir.x.mount.path",
    "spark.kubernetes.driver.label.app",
    "spark.kubernetes.executor.node.selector.zone",
    "spark.kubernetes.allocation.batch.size",
    "spark.kubernetes.authenticate.executor.serviceAccountName",
    "spark.kubernetes.executor.useDriverPodIP",
    "spark.mycompany.anything",
    "spark.hadoop.fs.s3a.endpoint",
  ])("causes no warning if Spark or Firesteel reads it: %s", (key) => {
    expect(found({ [key]: "x" })).toEqual({ warnings: [], issues: [] });
  });

  test("causes one warning with its origin and a suggestion if no program reads it", () => {
    const settings = { "spark.kubernetes.namespce": "x", "spark.kubernetes.tolerations": "x" };
    expect(found(settings)).toEqual({
      warnings: [
        "Unknown setting spark.kubernetes.namespce (--conf): neither Spark nor Firesteel reads it. Did you mean spark.kubernetes.namespace?",
        "Unknown setting spark.kubernetes.tolerations (--conf): neither Spark nor Firesteel reads it.",
      ],
      issues: [],
    });
  });

  test("causes a warning with the Spark lines that read it if this line does not", () => {
    const settings = {
      "spark.kubernetes.executor.podDeletionCost": "1",
      "spark.kubernetes.driver.annotateExitException": "true",
      "spark.kubernetes.pyspark.pythonVersion": "3",
    };
    const only = (key: string, lines: string, version: string) =>
      `The setting spark.kubernetes.${key} (--conf) is read ${lines} only; this is Spark ${version}.`;
    expect(found(settings, "4.0").warnings).toEqual([
      only("driver.annotateExitException", "from Spark 4.1 on", "4.0.5"),
      only("executor.podDeletionCost", "from Spark 4.2 on", "4.0.5"),
    ]);
    expect(found(settings, "4.2").warnings).toEqual([only("pyspark.pythonVersion", "before Spark 4.1", "4.2.1")]);
  });
});

describe("another setting", () => {
  test.each([
    ["spark.executer.instances", "spark.executor.instances"],
    ["spark.executor.instance", "spark.executor.instances"],
    ["spark.drivr.memory", "spark.driver.memory"],
    ["spark.kubernets.namespace", "spark.kubernetes.namespace"],
    ["spark.firestel.logs", "spark.firesteel.logs"],
  ])("causes a warning with a suggestion if it is a misspelled known key: %s", (key, suggestion) => {
    expect(found({ [key]: "x" })).toEqual({
      warnings: [`Unknown setting ${key} (--conf). Did you mean ${suggestion}?`],
      issues: [],
    });
  });

  test.each([
    "spark.executors.instance.count",
    "spark.mycompany.memory",
    "spark.hive",
    "spark.executorEnv.spark.driver.memry",
    "spark.hadoop.executor.memory",
    "spark.driver.maxResultSize",
    "spark.executor.heartbeatInterval",
    "spark.executor.instances",
  ])("causes no warning if it may belong to a library: %s", (key) => {
    expect(found({ [key]: "x" }).warnings).toEqual([]);
  });

  test("causes no warning under an older name that is still read", () => {
    const older = declaredEntries().flatMap((declared) => (isEntry(declared) ? declared.alternatives : []));
    expect(older).toContain("spark.kubernetes.resourceStagingServer.uri");
    expect(found(Object.fromEntries(older.map((key) => [key, "1"]))).warnings).toEqual([]);
  });

  test("is unchecked only under prefixes without known keys", () => {
    const known = [...knownKeys().keys()].filter((key) => !key.endsWith("."));
    expect(known.filter((key) => uncheckedPrefixes.some((family) => key.startsWith(family)))).toEqual([]);
  });
});

test("reports an unknown setting of Firesteel as an issue", () => {
  expect(found({ "spark.firesteel.log": "driver", "spark.firesteel.nonsense": "x" })).toMatchObject({
    warnings: [],
    issues: [
      {
        code: "SUBMIT_ERR_SETTING_UNKNOWN",
        message: "Unknown setting spark.firesteel.log (--conf).",
        hint: "Did you mean spark.firesteel.logs?",
      },
      {
        message: expect.stringContaining("nonsense"),
        hint: expect.stringContaining("docs/configuration.md"),
      },
    ],
  });
});

test("knows all settings of Firesteel that are declared", () => {
  const keys = declaredEntries().flatMap((declared) => (isEntry(declared) ? [declared.key] : []));
  const own = keys.filter((key) => key.startsWith("spark.firesteel."));
  expect(own).toContain("spark.firesteel.packages.resolver");
  expect(found(Object.fromEntries(own.map((key) => [key, ""]))).issues).toEqual([]);
});
