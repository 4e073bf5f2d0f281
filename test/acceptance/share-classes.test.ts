import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root, temporaryDirectory } from "./programs.ts";

/** Prints its arguments and its home, each with a NUL at the end. */
const java = `#!/bin/sh\nprintf '%s\\0' "$@" "$JAVA_HOME" "\${CLASS_SHARING_JAVA_HOME-none}"\n`;

/** A Spark with the jars `a.jar` and `b.jar`, an archive of these, and a directory `conf` with the given files. */
function machine(confFiles: readonly string[] = []) {
  const directory = temporaryDirectory();
  const path = (...parts: string[]) => join(directory, ...parts);
  const put = (text: string, ...parts: string[]) => {
    mkdirSync(dirname(path(...parts)), { recursive: true });
    writeFileSync(path(...parts), text);
  };
  for (const name of ["a.jar", "b.jar"]) put("", "spark", "jars", name);
  put("", "sharing", "spark.jsa");
  put("a.jar\nb.jar\n", "sharing", "jars");
  put("core-default.xml\nMain.class\n", "sharing", "resources");
  put("-XX:Tier4InvocationThreshold=50000\n", "sharing", "options");
  put(java, "java", "bin", "java");
  chmodSync(path("java", "bin", "java"), 0o755);
  mkdirSync(path("sharing", "bin"));
  cpSync(join(root, "images", "spark", "share-classes.sh"), path("sharing", "bin", "java"));
  mkdirSync(path("conf"));
  for (const name of confFiles) put("", "conf", name);
  const run = (...args: string[]) => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      SPARK_HOME: path("spark"),
      JAVA_HOME: path("sharing"),
      CLASS_SHARING_JAVA_HOME: path("java"),
    };
    const { stdout, stderr } = spawnSync("bash", [path("sharing", "bin", "java"), ...args], { env, encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.replaceAll(directory, "").split("\0").slice(0, -1);
  };
  return { directory, path, put, run };
}

const archive = ["-XX:SharedArchiveFile=/sharing/spark.jsa", "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"];
const shared = ["-XX:Tier4InvocationThreshold=50000", ...archive];
const home = ["/java", "none"];
const jars = "/spark/jars/a.jar:/spark/jars/b.jar";

test("configuration directories move behind the jars, in their order", () => {
  const { path, run, put } = machine(["log4j2.properties", "hive-site.xml"]);
  put("", "hadoop", "core-site.xml");
  const classPath = `${path("conf")}/:${path("hadoop")}:${path("spark/jars/*")}:${path("extra.jar")}:/work`;
  const args = ["-Xmx1g", "-cp", classPath, "Main", "-cp", "two words", "line\nbreak", ""];
  expect(run(...args)).toEqual([
    ...shared,
    ...["-Xmx1g", "-cp", `${jars}:/conf/:/hadoop:/extra.jar:/work`, "Main", "-cp", "two words", "line\nbreak", ""],
    ...home,
  ]);
});

test("the launcher starts this program, not Java, for the application", () => {
  const { path, run } = machine();
  const main = "org.apache.spark.launcher.Main";
  const launcherHome = ["/sharing", "/java"];
  expect(run("-cp", path("spark/jars/*"), main, "x")).toEqual([...shared, "-cp", jars, main, "x", ...launcherHome]);
});

test("a mounted ConfigMap and a missing directory move, too", () => {
  const { path, put, run } = machine();
  put("", "conf", "..2026", "log4j2.properties");
  symlinkSync("..2026", path("conf", "..data"));
  symlinkSync("..data/log4j2.properties", path("conf", "log4j2.properties"));
  expect(run("-cp", `${path("conf")}:${path("missing")}:${path("spark/jars/*")}`, "Main")[6]).toBe(
    `${jars}:/conf:/missing`,
  );
});

test("jars that Spark puts first may be the first ones of the archive", () => {
  const { path, run } = machine();
  const call = (...names: string[]) => {
    const leading = names.map((name) => path("spark/jars", name));
    return run("-cp", [path("conf/"), ...leading, path("spark/jars/*")].join(":"), "Main");
  };
  expect(call("a.jar")).toEqual([...shared, "-cp", `${jars}:/conf/`, "Main", ...home]);
  expect(call("a.jar", "b.jar")[6]).toBe(`${jars}:/conf/`);
  expect(call("b.jar")).toEqual(["-cp", "/conf/:/spark/jars/b.jar:/spark/jars/*", "Main", ...home]);
});

test("jars that the archive does not know come next, and those that are gone are left out", () => {
  const { path, put, run } = machine();
  put("", "spark", "jars", "aa.jar");
  put("a.jar\nb.jar\ngone.jar\n", "sharing", "jars");
  expect(run("-cp", path("spark/jars/*"), "Main")[6]).toBe(`${jars}:/spark/jars/aa.jar`);
});

test.each<[string, readonly string[], (path: (...parts: string[]) => string) => string]>([
  ["a file that a jar has, too", ["core-default.xml"], (path) => path("conf")],
  ["a class that a jar has, too", ["Main.class"], (path) => path("conf")],
  ["a directory in the configuration", ["com/example/A.class"], (path) => path("conf")],
  ["a jar", [], (path) => path("java/bin/java")],
  ["a directory of jars", [], (path) => path("conf/*")],
  ["the working directory", [], () => ""],
])("Java starts as Spark wants it if %s precedes Spark's jars", (_, files, entryOf) => {
  const { directory, path, run } = machine(files);
  const classPath = `${entryOf(path)}:${path("spark/jars/*")}`;
  expect(run("-cp", classPath, "Main")).toEqual(["-cp", classPath.replaceAll(directory, ""), "Main", ...home]);
});

test("Java starts as it is called without Spark's jars", () => {
  const { path, run } = machine();
  expect(run("-cp", path("conf"), "Main")).toEqual(["-cp", "/conf", "Main", ...home]);
  expect(run("-version")).toEqual(["-version", ...home]);
  expect(run("-jar", "-cp")).toEqual(["-jar", "-cp", ...home]);
});
