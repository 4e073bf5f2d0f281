import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { localJava } from "./find-java.ts";

function javaAt(home: string, version: string) {
  return { [`${home}/bin/java`]: "", [`${home}/release`]: `IMPLEMENTOR="x"\nJAVA_VERSION="${version}"\n` };
}

const files = {
  ...javaAt("/usr/lib/jvm/java-8", "1.8.0_402"),
  ...javaAt("/usr/lib/jvm/jdk-25", "25"),
  ...javaAt("/usr/lib/jvm/openjdk-17", "17.0.15"),
  ...javaAt("/opt/mine", "21.0.2+13"),
  "/usr/bin/java": { link: "/usr/lib/jvm/jdk-25/bin/java" },
  "/old/java": { link: "/usr/lib/jvm/java-8/bin/java" },
};

function found(env: Record<string, string>, more: Parameters<typeof testHost>[0] = {}) {
  return localJava(testHost({ files, ...more, env }))?.home;
}

describe("the Java of this machine", () => {
  test("is the one in JAVA_HOME, or else the one on PATH", () => {
    expect(found({ JAVA_HOME: "/opt/mine", PATH: "/usr/bin" })).toBe("/opt/mine");
    expect(found({ PATH: "/nowhere:/usr/bin" })).toBe("/usr/lib/jvm/jdk-25");
  });

  test("is found although PATH has inaccessible directories", () => {
    const host = testHost({ files, env: { JAVA_HOME: "/secret/jdk", PATH: "/secret/bin:/usr/bin" } });
    const realPath: typeof host.files.realPath = (path) => {
      if (path.startsWith("/secret/")) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
      return host.files.realPath(path);
    };
    const ordinary = { ...host, files: { ...host.files, realPath } };
    expect(localJava(ordinary)?.home).toBe("/usr/lib/jvm/jdk-25");
  });

  test("is never one that is too old", () => {
    expect(found({ JAVA_HOME: "/usr/lib/jvm/java-8", PATH: "/old:/usr/bin" })).toBe("/usr/lib/jvm/jdk-25");
  });

  test("is one that every Spark supports, if the user chose none", () => {
    expect(found({})).toBe("/usr/lib/jvm/openjdk-17");
    expect(found({}, { files: javaAt("/usr/lib/jvm/jdk-25", "25") })).toBe("/usr/lib/jvm/jdk-25");
  });

  test("may be in Firesteel's cache", () => {
    const cached = javaAt("/c/java/openjdk-17-jre-headless", "17.0.15");
    expect(found({ FIRESTEEL_CACHE: "/c" }, { files: cached })).toBe("/c/java/openjdk-17-jre-headless");
  });

  test("is absent where there is none", () => {
    expect(found({ PATH: "/usr/bin" }, { files: { "/usr/bin/java": "a stub" } })).toBeUndefined();
  });
});
