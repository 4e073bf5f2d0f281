import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fetchGateway } from "./gateway-load.ts";

/** A server of Livy's protocol. */
export interface BatchServer {
  readonly name: string;
  readonly url: string;
  /** Its child processes count, too. */
  readonly pid: number;
}

/** Installations that the server uses. */
export interface LivyInstallation {
  /** Livy: its `jars` directory is the class path. */
  readonly livy: string;
  /** Spark, whose client submits the batches. */
  readonly spark: string;
}

interface LivyCall extends LivyInstallation {
  readonly kubeconfig: string;
  /** URL of the API. */
  readonly server: string;
  /** Directory for its files. */
  readonly home: string;
}

const readyTimeoutMs = 180_000;

/** Starts a Livy server, and ends it and the clients that it started after use. @throws Error with its output if it does not start */
export async function withLivyServer<T>(call: LivyCall, use: (server: BatchServer) => Promise<T>): Promise<T> {
  const { livy, spark, kubeconfig } = call;
  const home = mkdtempSync(join(call.home, "livy-"));
  const port = await freePort();
  const conf = writeConf(call, home, port);
  const { PATH = "", JAVA_HOME } = process.env;
  const ofLivy = { LIVY_HOME: livy, LIVY_CONF_DIR: conf, LIVY_LOG_DIR: home };
  const env = { PATH, HOME: home, KUBECONFIG: kubeconfig, SPARK_HOME: spark, ...ofLivy };
  const opens = ["java.lang", "java.net"].flatMap((name) => ["--add-opens", `java.base/${name}=ALL-UNNAMED`]);
  const classPath = [conf, join(livy, "jars", "*")].join(":");
  const child = spawn(
    JAVA_HOME === undefined ? "java" : join(JAVA_HOME, "bin", "java"),
    [...opens, "-cp", classPath, "org.apache.livy.server.LivyServer"],
    // A group of its own, so that the clients end with it.
    { cwd: home, env, stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    const url = `http://127.0.0.1:${port}`;
    await waitUntilReady(child, url);
    return await use({ name: "Livy", url, pid: child.pid ?? 0 });
  } finally {
    endGroup(child);
    await ended;
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All its processes have ended.
  }
}

function writeConf({ spark, server }: LivyCall, home: string, port: number): string {
  const conf = join(home, "conf");
  mkdirSync(conf);
  const library = readdirSync(join(spark, "jars")).find((name) => name.startsWith("scala-library-"));
  const scala = /-(2\.\d+)/.exec(library ?? "")?.[1];
  if (scala === undefined) throw new Error(`${spark} is not an installation of Spark.`);
  const lines = [
    ...["livy.server.host = 127.0.0.1", `livy.server.port = ${port}`, `livy.spark.master = k8s://${server}`],
    ...["livy.spark.deploy-mode = cluster", `livy.spark.scala-version = ${scala}`, "livy.server.recovery.mode = off"],
  ];
  writeFileSync(join(conf, "livy.conf"), `${lines.join("\n")}\n`);
  return conf;
}

/** Livy reports the port that it was given, so that it cannot choose one itself. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  let output = "";
  const read = (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-10_000);
  };
  child.stdout?.on("data", read);
  child.stderr?.on("data", read);
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = error;
  });
  const started = performance.now();
  while ((await fetchGateway(url, { method: "GET", path: "/version" })).status !== 200) {
    const isEnded = child.exitCode !== null || child.signalCode !== null;
    if (failure !== undefined || isEnded || performance.now() - started > readyTimeoutMs)
      throw new Error(`Livy does not start: ${failure?.message ?? ""}\n${output}`);
    await setTimeout(200);
  }
}
