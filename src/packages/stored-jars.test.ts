import { describe, expect, test } from "vitest";
import type { Progress } from "../host/progress.ts";
import { type TestHost, testHost } from "../host/test-host.ts";
import { parseCoordinates } from "./parse-coordinates.ts";
import { findStoredJars, provideStoredJars, type StoredRequest } from "./stored-jars.ts";
import { modulesFrom } from "./test-modules.ts";

function machine(modules: readonly string[], files: Readonly<Record<string, string>> = {}): TestHost {
  const env = { DEFAULT_ARTIFACT_REPOSITORY: "file:/m", FIRESTEEL_CACHE: "/c" };
  return testHost({ env, files: { ...modulesFrom("/m", modules), ...files } });
}

function stored(coordinates: string, more: Partial<StoredRequest> = {}): StoredRequest {
  const parsed = parseCoordinates(coordinates);
  return {
    request: { coordinates: parsed.ok ? parsed.value : [], exclusions: [] },
    choice: { urls: [], ivyDirectory: "/ivy", isOffline: false },
    lockPath: undefined,
    ...more,
  };
}

const notes: string[] = [];
const progress: Progress = {
  note: (text) => notes.push(text),
  transfer: () => ({ update: () => {}, end: () => {} }),
};

describe("jars of packages", () => {
  test("are in Spark's order, with Spark's names", async () => {
    const host = machine(["x:1 -> a:1", "a:1"]);
    expect(findStoredJars(host, stored("g:x:1"))).toBeUndefined();
    const jars = await provideStoredJars(host, stored("g:x:1"), progress);
    expect(jars.map(({ path }) => path.replace(/^.*\//, ""))).toEqual(["g_x-1.jar", "g_a-1.jar"]);
    expect(jars.map(({ path }) => host.files.readText(path))).toEqual(["jar of x:1", "jar of a:1"]);
    expect(jars[0]).toMatchObject({ sizeBytes: 10, hasPython: false });
    expect(findStoredJars(host, stored("g:x:1"))).toEqual(jars);
  });

  test("are found without a resolution until a file of a local repository changes", async () => {
    const host = machine(["x:1 -> a:1", "a:1", "b:1"]);
    const jars = await provideStoredJars(host, stored("g:x:1"), progress);
    notes.length = 0;
    expect(await provideStoredJars(host, stored("g:x:1"), progress)).toEqual(jars);
    expect(notes).toEqual([]);
    const pom = "/m/g/x/1/x-1.pom";
    host.files.write(pom, (host.files.readText(pom) ?? "").replace("<artifactId>a<", "<artifactId>b<"));
    host.files.changeModified(pom, 1);
    expect(findStoredJars(host, stored("g:x:1"))).toBeUndefined();
    const changed = await provideStoredJars(host, stored("g:x:1"), progress);
    expect(changed.map(({ path }) => host.files.readText(path))).toEqual(["jar of x:1", "jar of b:1"]);
  });

  test("are provided again if a jar of the cache is missing or the record is damaged", async () => {
    const host = machine(["x:1"]);
    const [jar] = await provideStoredJars(host, stored("g:x:1"), progress);
    const path = jar?.path ?? "";
    host.files.remove(host.files.realPath(path) ?? "");
    expect(findStoredJars(host, stored("g:x:1"))).toBeUndefined();
    await provideStoredJars(host, stored("g:x:1"), progress);
    expect(host.files.readText(path)).toBe("jar of x:1");
    for (const text of ["{", "[]", "null", '{"jars":[{"path":1}],"inputs":[]}']) {
      host.files.write(path.replace(/[^/]*$/, "resolution.json"), text);
      expect(findStoredJars(host, stored("g:x:1")), text).toBeUndefined();
    }
  });

  test("of other repositories, exclusions or lock files are other ones", async () => {
    const host = machine(["x:1"], { "/l": "{}" });
    await provideStoredJars(host, stored("g:x:1"), progress);
    const choice = { urls: ["file:/other"], ivyDirectory: "/ivy", isOffline: false };
    expect(findStoredJars(host, stored("g:x:1", { choice }))).toBeUndefined();
    expect(findStoredJars(host, stored("g:x:1", { lockPath: "/l" }))).toBeUndefined();
    expect(findStoredJars(host, stored("g:x:1"))).toHaveLength(1);
  });

  test("of a lock file are rejected if the file is for other packages (SUBMIT_ERR_PACKAGE_LOCK)", async () => {
    const lock = { version: 1, packages: ["g:y:1"], excludes: [], transitive: true, jars: [] };
    const host = machine(["x:1"], { "/l": JSON.stringify(lock) });
    await expect(provideStoredJars(host, stored("g:x:1", { lockPath: "/l" }), progress)).rejects.toMatchObject({
      code: "SUBMIT_ERR_PACKAGE_LOCK",
      message: "Cannot use the lock file /l: it is for other packages.",
    });
  });

  test("of the latest version are resolved each time", async () => {
    const host = machine(["x:1", "x:2"]);
    const jars = await provideStoredJars(host, stored("g:x:latest.release"), progress);
    expect(jars.map(({ path }) => host.files.readText(path))).toEqual(["jar of x:2"]);
    expect(findStoredJars(host, stored("g:x:latest.release"))).toBeUndefined();
  });
});
