import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { runSparkCommand } from "./spark.ts";

function machine() {
  const files = Object.fromEntries(
    ["4.1.4", "4.3.0"].flatMap((version) => [
      [`/c/spark/${version}/bin/spark-submit`, ""],
      [`/c/spark/${version}/jars/spark-core_2.13-${version}.jar`, ""],
    ]),
  );
  return testHost({ env: { FIRESTEEL_CACHE: "/c", SPARK_HOME: "/nowhere" }, files });
}

describe("firesteel spark", () => {
  test("prints how to install Spark if there is none", async () => {
    const host = testHost();
    expect([await runSparkCommand(host, ["list"]), await runSparkCommand(host, ["home"])]).toEqual([0, 1]);
    expect(host.errorText().split("\n")).toEqual([
      "No Spark distribution was found.",
      "Hint: Install it: firesteel spark install 4.3.0",
      "Error: Spark is not installed on this machine.",
      "Hint: Install it: firesteel spark install 4.3.0",
      "",
    ]);
  });

  test("lists the distributions on this machine", async () => {
    const host = machine();
    expect(await runSparkCommand(host, ["list"])).toBe(0);
    expect(host.outText()).toBe("4.3.0      cache      /c/spark/4.3.0\n4.1.4      cache      /c/spark/4.1.4\n");
    expect(host.errorText()).toMatch(/SPARK_HOME \(\/nowhere\) is not a Spark distribution/);
  });

  test("prints the directory of a distribution, or how to install it", async () => {
    const host = machine();
    expect(await runSparkCommand(host, ["home"])).toBe(0);
    expect(await runSparkCommand(host, ["home", "4.1"])).toBe(0);
    expect(await runSparkCommand(host, ["home", "3.5"])).toBe(1);
    expect(host.outText()).toBe("/c/spark/4.3.0\n/c/spark/4.1.4\n");
    expect(host.errorText()).toMatch(/firesteel spark install 3\.5\.9\n$/);
  });

  test("prints an installed distribution at once, and rejects unknown versions", async () => {
    const host = machine();
    expect(await runSparkCommand(host, ["install", "4.1"])).toBe(0);
    expect(host.outText()).toBe("/c/spark/4.1.4\n");
    await expect(runSparkCommand(host, ["install", "2.4"])).rejects.toMatchObject({
      code: "SUBMIT_ERR_SPARK_VERSION",
    });
    await expect(runSparkCommand(host, ["install"])).rejects.toThrow("firesteel spark install requires a version.");
  });
});
