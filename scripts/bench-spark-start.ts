/**
 * Measures what class data sharing saves, in alternating rounds with and without `FIRESTEEL_CLASS_SHARING=off`: `npm run bench -- spark-start`.
 *
 *     [--rounds 3]                                   Pi with two executors on the embedded cluster, as `npm start` runs it
 *     --master URL --image IMAGE [--namespace jobs]  the same on another cluster, with an image of `firesteel image build spark-py`
 *     --language java|python                         of the application on that cluster
 *     --steps 1000                                   work of each of the ten slices
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Command, describeMachine, median, numberTable, observeTree } from "./bench/measure.ts";

interface Usage {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Prepares Spark, measures, and prints the results. */
export async function benchSparkStart(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "3" },
      master: { type: "string" },
      image: { type: "string", default: "" },
      namespace: { type: "string", default: "jobs" },
      steps: { type: "string", default: "1000" },
      language: { type: "string", default: "java" },
    },
  });
  const { master, image, namespace, steps, language } = values;
  if (language !== "java" && language !== "python") {
    throw new Error(`--language must be java or python, not "${language}"`);
  }
  if (master === undefined) await usageOf(command(["spark", "prepare"], {}));
  const application = master === undefined ? [] : applicationIn(language);
  const measure = (sharing: "on" | "off"): Promise<Usage> | Usage =>
    master === undefined
      ? usageOf(command(["demo"], { FIRESTEEL_CLASS_SHARING: sharing }))
      : usageOnCluster({ master, image, namespace, application: [...application, "10", steps] }, sharing);
  const rounds: { readonly off: Usage; readonly on: Usage }[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    rounds.push({ off: await measure("off"), on: await measure("on") });
  }
  const row = (name: string, measured: (usage: Usage) => number) => [
    name,
    median(rounds.map(({ off }) => measured(off))).toFixed(1),
    median(rounds.map(({ on }) => measured(on))).toFixed(1),
    median(rounds.map(({ off, on }) => measured(on) / measured(off))).toFixed(2),
  ];
  const rows = [row("wall time (s)", ({ seconds }) => seconds), row("processor time (s)", (usage) => usage.cpuSeconds)];
  const title =
    master === undefined ? "npm start, second time" : `Pi in ${language} with ${steps} steps a slice on ${master}`;
  const table = numberTable([title, "sharing off", "sharing on", "ratio"], rows);
  process.stdout.write([describeMachine(), "", ...table, ""].join("\n"));
}

async function usageOf(measured: Command): Promise<Usage> {
  const started = performance.now();
  const { cpuMs = Number.NaN } = (await observeTree(measured)) ?? {};
  return { seconds: (performance.now() - started) / 1000, cpuSeconds: cpuMs / 1000 };
}

interface ClusterRun {
  readonly master: string;
  readonly image: string;
  readonly namespace: string;
  /** The application and its arguments. */
  readonly application: readonly string[];
}

/** Measures a driver with two executors. The processor time is that of their containers, as the application prints it. */
function usageOnCluster({ master, image, namespace, application }: ClusterRun, sharing: "on" | "off"): Usage {
  const settings = {
    "spark.kubernetes.namespace": namespace,
    "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
    "spark.kubernetes.container.image": image,
    "spark.executor.instances": "2",
    "spark.kubernetes.driver.request.cores": "100m",
    "spark.kubernetes.executor.request.cores": "100m",
    "spark.firesteel.logs": "driver",
    "spark.kubernetes.driverEnv.FIRESTEEL_CLASS_SHARING": sharing,
    "spark.executorEnv.FIRESTEEL_CLASS_SHARING": sharing,
  };
  const args = [
    ...[resolve("dist/bin/spark-submit.cjs"), "--master", master, "--deploy-mode", "cluster"],
    ...Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]),
    ...application,
  ];
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--use-openssl-ca", ...args], { encoding: "utf8" });
  const seconds = (performance.now() - started) / 1000;
  const cpu = /^Processor time: ([\d.]+) s, 2 executors$/m.exec(stdout)?.[1];
  if (status !== 0 || cpu === undefined) throw new Error(`The application failed:\n${stderr}\n${stdout}`);
  return { seconds, cpuSeconds: Number(cpu) };
}

/** Returns the arguments that name the application. That in Java is compiled against `SPARK_HOME` with the JDK of `JAVA_HOME` or the PATH. */
function applicationIn(language: "java" | "python"): readonly string[] {
  if (language === "python") return [resolve("scripts/bench/pi_with_cpu.py")];
  const { SPARK_HOME, JAVA_HOME } = process.env;
  if (SPARK_HOME === undefined) throw new Error("SPARK_HOME is not set: the application is compiled against its jars");
  const directory = mkdtempSync(join(tmpdir(), "firesteel-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true }));
  const run = (tool: string, args: readonly string[]) =>
    execFileSync(JAVA_HOME === undefined ? tool : join(JAVA_HOME, "bin", tool), args, { stdio: "inherit" });
  const jar = join(directory, "pi-with-cpu.jar");
  const source = resolve("scripts/bench/PiWithCpu.java");
  run("javac", ["--release", "17", "-cp", join(SPARK_HOME, "jars", "*"), "-d", directory, source]);
  run("jar", ["--create", "--file", jar, "-C", directory, "PiWithCpu.class"]);
  return ["--class", "PiWithCpu", jar];
}

/** Keeps the user's Spark, Java and cache. */
function command(args: readonly string[], more: Readonly<Record<string, string>>): Command {
  const { PATH = "", HOME = "", SPARK_HOME, JAVA_HOME, XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
  const env = {
    ...(SPARK_HOME === undefined ? {} : { SPARK_HOME }),
    ...(JAVA_HOME === undefined ? {} : { JAVA_HOME }),
    ...{ PATH, HOME, XDG_CACHE_HOME },
    ...more,
  };
  return {
    file: process.execPath,
    args: ["--use-openssl-ca", resolve("dist/bin/firesteel.cjs"), ...args],
    env,
    exit: 0,
  };
}
