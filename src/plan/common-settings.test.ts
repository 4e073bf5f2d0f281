import { describe, expect, test } from "vitest";
import { sparkLines } from "../conf/spark-version.ts";
import { commonSettings, hasUncommonSettings } from "./common-settings.ts";
import { ignoredSettingLog } from "./ignored-settings.ts";
import { testRequest } from "./test-driver.ts";

const common = Object.fromEntries(commonSettings.map(({ key }) => [key, "x"]));

describe("common settings", () => {
  test.each(sparkLines)("are all read by Spark %s", (line) => {
    expect(ignoredSettingLog(testRequest({ settings: common, line }).conf)).toEqual([]);
  });

  test("do not require the table of all settings, even with settings that only Spark reads", () => {
    const settings = { ...common, "spark.sql.shuffle.partitions": "8", "spark.firesteel.logs": "driver" };
    expect(hasUncommonSettings(testRequest({ settings }).conf)).toBe(false);
  });

  test("do not include misspelled settings", () => {
    for (const key of ["spark.kubernetes.namespce", "spark.executer.instances"]) {
      const settings = { ...common, [key]: "x" };
      expect(hasUncommonSettings(testRequest({ settings }).conf)).toBe(true);
    }
  });
});
