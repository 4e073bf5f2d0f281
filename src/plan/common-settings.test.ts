import { describe, expect, test } from "vitest";
import { sparkLines } from "../conf/spark-version.ts";
import { commonSettings, hasUncommonSettings } from "./common-settings.ts";
import { ignoredSettingLog } from "./ignored-settings.ts";
import { testRequest } from "./test-driver.ts";

const everyday = Object.fromEntries(commonSettings.map(({ key }) => [key, "x"]));

describe("settings of every day", () => {
  test.each(sparkLines)("Spark %s reads all of them", (line) => {
    expect(ignoredSettingLog(testRequest({ settings: everyday, line }).conf)).toEqual([]);
  });

  test("need no look at the table, nor does what Spark reads and we do not", () => {
    const settings = { ...everyday, "spark.sql.shuffle.partitions": "8", "spark.firesteel.logs": "driver" };
    expect(hasUncommonSettings(testRequest({ settings }).conf)).toBe(false);
  });

  test("are not all that there are", () => {
    for (const key of ["spark.kubernetes.namespce", "spark.executer.instances"]) {
      const settings = { ...everyday, [key]: "x" };
      expect(hasUncommonSettings(testRequest({ settings }).conf)).toBe(true);
    }
  });
});
