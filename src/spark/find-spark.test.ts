import { describe, expect, test } from "vitest";
import { showProgress } from "../host/progress.ts";
import { type TestHostOptions, testHost } from "../host/test-host.ts";
import { findSpark, listDistributions } from "./find-spark.ts";

function sparkAt(home: string, version: string) {
  return { [`${home}/bin/spark-submit`]: "", [`${home}/jars/spark-core_2.13-${version}.jar`]: "" };
}

const cached = {
  ...sparkAt("/c/spark/4.1.4", "4.1.4"),
  ...sparkAt("/c/spark/4.3.0", "4.3.0"),
  ...sparkAt("/c/spark/.install-1-x/home", "4.2.1"),
  "/c/spark/4.2.1/README": "no distribution",
};

function machine(options: TestHostOptions = {}) {
  return testHost({ files: cached, ...options, env: { FIRESTEEL_CACHE: "/c", ...options.env } });
}

describe("the Spark distributions of a machine", () => {
  test("are those of SPARK_HOME and Firesteel's cache, the newest first", () => {
    const files = { ...cached, ...sparkAt("/opt/spark", "3.5.9") };
    expect(listDistributions(machine({ files, env: { SPARK_HOME: "/opt/spark" } }))).toEqual([
      { home: "/opt/spark", version: "3.5.9", origin: "SPARK_HOME" },
      { home: "/c/spark/4.3.0", version: "4.3.0", origin: "cache" },
      { home: "/c/spark/4.1.4", version: "4.1.4", origin: "cache" },
    ]);
  });

  test("are listed once, even under several names", () => {
    const files = { ...cached, "/opt/spark": { link: "/c/spark/4.3.0" } };
    const homes = listDistributions(machine({ files, env: { SPARK_HOME: "/opt/spark" } }));
    expect(homes.map(({ origin, version }) => [origin, version])).toEqual([
      ["SPARK_HOME", "4.3.0"],
      ["cache", "4.1.4"],
    ]);
  });
});

describe("finding a Spark", () => {
  const find = (host: ReturnType<typeof machine>, version?: string) =>
    findSpark(host, { version, install: version ?? "4.3.0", progress: showProgress(host) });

  test("takes any that exists, or the requested release or line", async () => {
    const host = machine();
    expect((await find(host)).version).toBe("4.3.0");
    expect((await find(host, "4.1")).home).toBe("/c/spark/4.1.4");
    expect((await find(host, "4.3.0")).home).toBe("/c/spark/4.3.0");
  });

  test("skips an invalid SPARK_HOME with a warning", async () => {
    const host = machine({ env: { SPARK_HOME: "/opt/elsewhere" } });
    expect((await find(host)).home).toBe("/c/spark/4.3.0");
    expect(host.errorText()).toMatch(/SPARK_HOME \(\/opt\/elsewhere\) is not a Spark distribution/);
  });

  test("reports the reason for each source that failed", async () => {
    const host = machine({ env: { FIRESTEEL_SPARK_MIRROR: "http://127.0.0.1:1" } });
    await expect(find(host, "4.2.1")).rejects.toMatchObject({
      code: "SUBMIT_ERR_SPARK_INSTALL",
      message: expect.stringMatching(/PyPI: python3 is not installed\n.*Apache's archive: .*ECONNREFUSED/),
    });
    expect(host.files.list("/c/spark")).not.toContainEqual(expect.stringMatching(/^\.install-4242/));
  });
});
