import { describe, expect, test } from "vitest";
import { showProgress } from "../host/progress.ts";
import { testHost } from "../host/test-host.ts";
import { classArchiveDirectory } from "../spark/class-archive.ts";
import { openEmbedded, prepareRuntime, releaseOf } from "./embedded.ts";
import { isApiReady } from "./is-api-ready.ts";

/** A machine with Spark, Java, and no sandbox programs. */
function machine(files = {}) {
  return testHost({
    user: { uid: 0 },
    env: { FIRESTEEL_CACHE: "/c", FIRESTEEL_STATE: "/s" },
    files: {
      "/c/spark/4.1.4/bin/spark-submit": "",
      "/c/spark/4.1.4/jars/spark-core_2.13-4.1.4.jar": "",
      "/c/java/jre/bin/java": "",
      "/c/java/jre/release": 'JAVA_VERSION="17.0.15"',
      "/s/inside/999-killed/pods": null,
      ...files,
    },
  });
}

test("pods use the class data archive of their Spark, unless class sharing is off", async () => {
  const host = machine();
  const progress = showProgress(host);
  const archiveOf = async (env: Record<string, string>) => {
    const { sparkHomes, classArchive } = await prepareRuntime(
      { ...host, env: { ...host.env, ...env } },
      { sparkVersion: undefined, progress },
    );
    return classArchive(sparkHomes[0]);
  };
  expect(await archiveOf({})).toBeUndefined();
  const spark = { version: "4.1.4", home: "/c/spark/4.1.4", javaHome: "/c/java/jre" };
  const directory = classArchiveDirectory(host, spark);
  host.files.makeDirectory(directory);
  host.files.write(`${directory}/spark.jsa`, "");
  expect(await archiveOf({})).toBe(directory);
  expect(await archiveOf({ FIRESTEEL_CLASS_SHARING: "off" })).toBeUndefined();
});

describe("an embedded cluster inside this process", () => {
  test("is shared by all connections, and ends with the last of them", { tags: "long" }, async () => {
    const host = machine();
    const first = await openEmbedded(host);
    const second = await openEmbedded({ ...host, argv: ["other"] }, { sparkVersion: "4.1" });
    expect(second.url).toBe(first.url);
    expect(first).toMatchObject({
      location: "inside",
      driverMaster: first.url,
      sparkVersion: "4.1.4",
      defaults: { image: "spark:4.1.4", serviceAccountName: "spark" },
    });
    expect(host.files.list("/s/inside")).toHaveLength(1);

    await first.close();
    await first.close();
    expect(await isApiReady(host.clock, first)).toBe(true);
    await second.close();
    expect(await isApiReady(host.clock, first)).toBe(false);
    expect(host.files.list("/s/inside")).toEqual([]);
  });

  test("is started again by the next connection after a failed start", async () => {
    const host = machine({ "/c/java/jre/bin/java": null });
    for (const _ of [1, 2]) {
      await expect(openEmbedded(host)).rejects.toMatchObject({ code: "SUBMIT_ERR_JAVA_MISSING" });
    }
  });
});

test("releaseOf returns the newest release of a line", () => {
  expect([releaseOf("4.1"), releaseOf("3.5.2"), releaseOf(undefined)]).toEqual(["4.1.4", "3.5.2", "4.3.0"]);
  expect(() => releaseOf("2.4")).toThrow(/Unknown Spark version: 2\.4/);
});
