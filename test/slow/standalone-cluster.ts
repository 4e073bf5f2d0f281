import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { localJava } from "../../src/spark/find-java.ts";
import type { SparkHome } from "../../src/spark/spark-home.ts";
import { type Outcome, run } from "../acceptance/programs.ts";

/** Local Spark masters with ZooKeeper leader election, and a worker, for the tests of a file. */
export interface StandaloneCluster {
  /** Returns the REST URL of the leading master. */
  readonly rest: () => string;
  /** Returns the REST URL of the standby master. */
  readonly standby: () => string;
  /** Kills the leading master and waits until the standby leads. */
  readonly loseLeader: () => Promise<void>;
  /** Returns the RPC URL of the leading master. */
  readonly rpc: () => string;
  /** Returns the path of the jar with `Drivers.java`. */
  readonly jar: () => string;
  /** Starts another master without a worker. Returns its gateway. */
  readonly master: (properties: readonly string[]) => Promise<string>;
  readonly directory: string;
  /** Runs a Firesteel program with this Spark's line as the target. */
  readonly runFiresteel: (program: "spark-submit" | "firesteel", ...args: string[]) => Promise<Outcome>;
  /** Runs `spark-submit` with this Spark as the local Spark. */
  readonly withSpark: (...args: string[]) => Promise<Outcome>;
  /** Runs Firesteel's `spark-submit` for the leading master until the driver ends. */
  readonly submit: (args: readonly string[], options?: readonly string[]) => Promise<Outcome>;
}

const sources = join(import.meta.dirname, "standalone");

/** Starts a cluster of this Spark before the tests of a file and stops it after them. */
export function standaloneCluster(spark: () => SparkHome): StandaloneCluster {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-standalone-"));
  const daemons: ChildProcess[] = [];
  const jar = join(directory, "drivers.jar");
  let leader: Master = noMaster;
  let standby: Master = noMaster;
  const daemon = (name: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
    const output: string[] = [];
    const child = spawn(join(spark().home, "bin", "spark-class"), args, {
      env: { ...daemonEnv(), ...env, SPARK_WORKER_DIR: join(directory, "work") },
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(String(chunk)));
    daemons.push(child);
    return { child, waitForOutput: outputMatcher(child, name, output) };
  };
  const zooKeeper = async () => {
    const port = await freePort();
    // Ticks of 200 ms: a session without heartbeats expires after 4 s.
    const args = ["org.apache.zookeeper.server.ZooKeeperServerMain", `${port}`, join(directory, "zk"), "200"];
    daemon("ZooKeeper", args, { SPARK_DAEMON_JAVA_OPTS: "-Dzookeeper.admin.enableServer=false" });
    return [`spark.deploy.recoveryMode=ZOOKEEPER`, `spark.deploy.zookeeper.url=127.0.0.1:${port}`];
  };
  const master = async (properties: readonly string[]) => {
    const port = await freePort();
    const options = [`spark.master.rest.enabled=true`, `spark.master.rest.port=${port}`, ...properties];
    const { child, waitForOutput } = daemon("Master", masterArgs, {
      SPARK_MASTER_OPTS: options.map((option) => `-D${option}`).join(" "),
    });
    const [, rpc = ""] = await waitForOutput(/Starting Spark master at (spark:\/\/127\.0\.0\.1:\d+)/);
    await waitForOutput(/Started REST server for submitting applications/);
    return {
      rest: `spark://127.0.0.1:${port}`,
      rpc,
      leads: () => waitForOutput(/I have been elected leader/),
      child,
    };
  };
  beforeAll(async () => {
    compile(spark(), directory, jar);
    const recovery = await zooKeeper();
    leader = await master(recovery);
    await leader.leads();
    standby = await master(recovery);
    const both = `${leader.rpc},${standby.rpc.replace("spark://", "")}`;
    await daemon("Worker", [...workerArgs, both], {}).waitForOutput(/Successfully registered with master/);
  });
  afterAll(async () => {
    await Promise.all(daemons.map(endOf));
    rmSync(directory, { recursive: true, force: true });
  });
  const runFiresteel: StandaloneCluster["runFiresteel"] = (program, ...args) =>
    run(program, args, { env: { FIRESTEEL_SPARK_VERSION: spark().version } });
  return {
    ...{ directory, runFiresteel, jar: () => jar },
    master: async (properties) => (await master(properties)).rest,
    ...{ rest: () => leader.rest, rpc: () => leader.rpc, standby: () => standby.rest },
    async loseLeader() {
      leader.child?.kill("SIGKILL");
      await standby.leads();
    },
    withSpark: (...args) =>
      run("spark-submit", args, {
        env: {
          ...definedIn(daemonEnv()),
          SPARK_HOME: spark().home,
          FIRESTEEL_SPARK_VERSION: spark().version,
        },
      }),
    submit: (args, options = []) =>
      runFiresteel(
        "spark-submit",
        ...["--master", leader.rest, "--deploy-mode", "cluster", "--class", "Drivers"],
        ...["--conf", "spark.standalone.submit.waitAppCompletion=true", "--driver-memory", "512m"],
        ...["--conf", "spark.executor.memory=512m", ...options, jar, ...args],
      ),
  };
}

interface Master {
  readonly rest: string;
  readonly rpc: string;
  readonly child: ChildProcess | undefined;
  readonly leads: () => Promise<unknown>;
}

const noMaster: Master = { rest: "", rpc: "", child: undefined, leads: async () => {} };

const local = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"];
const masterArgs = ["org.apache.spark.deploy.master.Master", ...local];
const workerArgs = ["org.apache.spark.deploy.worker.Worker", ...local, "--cores", "4", "--memory", "4g"];

function daemonEnv(): NodeJS.ProcessEnv {
  const { PATH = "", HOME = "" } = process.env;
  const java = localJava(nodeHost());
  return {
    ...{ PATH, HOME, SPARK_LOCAL_IP: "127.0.0.1", SPARK_DAEMON_MEMORY: "512m" },
    ...(java === undefined ? {} : { JAVA_HOME: java.home }),
  };
}

function definedIn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function compile(spark: SparkHome, directory: string, jar: string): void {
  const classes = join(directory, "classes");
  mkdirSync(classes);
  const file = join(sources, "Drivers.java");
  execFileSync("javac", ["--release", "17", "-cp", `${spark.home}/jars/*`, "-d", classes, file]);
  execFileSync("jar", ["--create", "--file", jar, "-C", classes, "."]);
}

/** Finds a free port. It must be known in advance, because a master sets it in the settings of drivers. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Returns a function that waits until a daemon's output matches. */
function outputMatcher(child: ChildProcess, name: string, output: string[]) {
  return async (expected: RegExp): Promise<RegExpMatchArray> => {
    for (;;) {
      const match = output.join("").match(expected);
      if (match !== null) return match;
      if (child.exitCode !== null) throw new Error(`${name} ended: ${output.join("").slice(-2000)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const cancel = setTimeout(() => child.kill("SIGKILL"), 20_000);
  await ended;
  clearTimeout(cancel);
}

/** Reads a file of the driver on its worker. */
export function driverOutput({ directory }: StandaloneCluster, id: string, name: "stdout" | "stderr"): string {
  return readFileSync(join(directory, "work", id, name), "utf8");
}
