import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect } from "vitest";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { differenceOf } from "../golden/difference.ts";
import { type CommandParts, javaParts } from "../golden/jvm-command.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { testWith } from "../test-with.ts";

/** Compares Firesteel's command with that of Spark's launcher, which Spark's scripts exec, for random command lines. */
const java = process.env["JAVA_HOME"] === undefined ? "java" : join(process.env["JAVA_HOME"], "bin", "java");

interface CommandLine {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const anyText = fc.constantFrom("a", "b c", 'd"e', "f=g", "h\\i", "ä", "$j", "*");
const options = fc.constantFrom("-Da=b", "-Dc='d e' -Df", "'-Dg=\"h i\"'", "-Dj=k\\ l", "-Xss4m");
const paths = fc.constantFrom("/x", "/y:/z", "/tmp", "/x::/tmp/");
const memory = fc.constantFrom("2g", "700m", "3072m");
const valueOptions: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  ["--name", anyText],
  ["--jars", fc.constantFrom("j1.jar,j2.jar", "file:/j.jar")],
  ["--files", anyText],
  ["--driver-memory", memory],
  ["--driver-java-options", options],
  ["--driver-library-path", paths],
  ["--driver-class-path", paths],
  ["--executor-memory", memory],
  ["--queue", anyText],
  ["--conf", anyText.map((text) => `spark.my.key=${text}`)],
  ["--conf", options.map((text) => `spark.driver.defaultJavaOptions=${text}`)],
  ["--conf", memory.map((text) => `spark.driver.memory=${text}`)],
  ["--class", fc.constantFrom("X", "org.apache.spark.sql.connect.service.SparkConnectServer")],
];
const variables: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  ["SPARK_SUBMIT_OPTS", options],
  ["SPARK_DAEMON_JAVA_OPTS", options],
  ["SPARK_DRIVER_MEMORY", memory],
  ["SPARK_DAEMON_MEMORY", memory],
  ["SPARK_MEM", memory],
  ["SPARK_DIST_CLASSPATH", paths],
  ["LD_LIBRARY_PATH", paths],
  ["SPARK_PREPEND_CLASSES", fc.constant("1")],
  ["SPARK_REMOTE", fc.constant("sc://h")],
];

const masters = fc.constantFrom(
  [],
  ["--master", "local[2]"],
  ["--master", "yarn", "--deploy-mode", "cluster"],
  ["--deploy-mode", "client", "--master", "spark://h:1"],
);

const commandLines: fc.Arbitrary<CommandLine> = fc
  .record({
    master: masters,
    options: fc
      .subarray(
        valueOptions.map(([name, value]) => value.map((text) => [name, text])),
        { maxLength: 5 },
      )
      .chain((chosen) => fc.tuple(...chosen)),
    switches: fc.subarray(["--verbose", "--supervise", "--load-spark-defaults"]),
    variables: fc
      .subarray(
        variables.map(([name, value]) => value.map((text) => [name, text] as const)),
        { maxLength: 3 },
      )
      .chain((chosen) => fc.tuple(...chosen)),
    rest: fc.constantFrom(["a.jar"], ["a.jar", "--master", "x y"], ["a.py", ""]),
  })
  .map(({ master, options: chosen, switches, variables: chosenVariables, rest }) => ({
    // Spark rejects a server in cluster mode.
    argv: isServer(chosen) ? [...chosen.flat(), ...switches] : [...chosen.flat(), ...master, ...switches, ...rest],
    env: { HADOOP_CONF_DIR: "/tmp", ...Object.fromEntries(chosenVariables) },
  }));

function isServer(chosen: readonly (readonly string[])[]): boolean {
  return chosen.some(([, value]) => value?.endsWith("SparkConnectServer") === true);
}

/** Returns the command that Spark's launcher prints, with its environment. */
function bySpark(home: string, { argv, env }: CommandLine): CommandParts | undefined {
  const version = versionOf(home);
  const args = ["-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", `${home}/jars/*`];
  const main = ["org.apache.spark.launcher.Main", "org.apache.spark.deploy.SparkSubmit"];
  const { stdout } = spawnSync(java, [...args, ...main, ...argv], {
    env: {
      ...env,
      PATH: process.env["PATH"],
      LC_ALL: "C.UTF-8",
      SPARK_HOME: home,
      SPARK_CONF_DIR: `${home}/conf`,
      SPARK_SCALA_VERSION: version.startsWith("3.") ? "2.12" : "2.13",
    },
    encoding: "utf8",
  });
  const printed = stdout
    .slice(stdout.indexOf("\0\n") + 2)
    .split("\0")
    .slice(0, -1);
  if (printed.includes("--usage-error")) return undefined;
  const at = printed.findIndex((entry) => entry.endsWith("/java"));
  const assigned = printed.slice(0, at).filter((entry) => entry.includes("="));
  const changed = assigned.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]);
  return javaParts(printed.slice(at + 1), { ...env, ...Object.fromEntries(changed) }, []);
}

/** Returns the command that Firesteel starts. */
function byFiresteel(home: string, { argv, env }: CommandLine): CommandParts {
  const directory = temporaryDirectory();
  const script = '#!/bin/sh\nprintf "%s\\0" "$@" > "$OUT/args"\nenv -0 > "$OUT/env"\n';
  mkdirSync(join(directory, "jdk", "bin"), { recursive: true });
  writeFileSync(join(directory, "jdk", "bin", "java"), script, { mode: 0o755 });
  const { stderr } = spawnSync(join(root, "dist", "bin", "spark-submit.cjs"), argv, {
    cwd: directory,
    env: {
      ...env,
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: directory,
      OUT: directory,
      JAVA_HOME: join(directory, "jdk"),
      SPARK_HOME: home,
      FIRESTEEL_STRICT: "1",
    },
    encoding: "utf8",
  });
  if (!existsSync(join(directory, "args"))) throw new Error(`nothing was started for ${argv.join(" ")}: ${stderr}`);
  const read = (name: string) => readFileSync(join(directory, name), "utf8").split("\0").slice(0, -1);
  const entries = read("env").map((entry) => entry.split(/=([\s\S]*)/));
  const { PYTHONHASHSEED: _, SPARK_CONF_DIR: __, ...rest } = Object.fromEntries(entries);
  return javaParts(read("args"), rest, []);
}

function versionOf(home: string): string {
  const core = readdirSync(join(home, "jars")).find((name) => name.startsWith("spark-core_"));
  return /-(\d[^-]*)\.jar$/.exec(core ?? "")?.[1] ?? "";
}

for (const line of ["3.5", "4.3"]) {
  const spark = sparkOf(line);
  testWith(spark)(`the command of a local driver is that of the launcher of Spark ${line}`, () => {
    const { home } = available(spark);
    const seen = fc.sample(commandLines, 30).filter((commandLine) => {
      const fromSpark = bySpark(home, commandLine);
      if (fromSpark === undefined) return false;
      const faults = differenceOf(fromSpark, byFiresteel(home, commandLine), JSON.stringify(commandLine));
      if (faults.length > 0) expect.fail(faults.join("\n"));
      return true;
    });
    // Spark accepts most of the command lines.
    expect(seen.length).toBeGreaterThan(15);
  });
}
