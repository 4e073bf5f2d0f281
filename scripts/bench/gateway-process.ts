import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fetchGateway } from "./gateway-load.ts";

/** A gateway in a process of its own. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** Time (ms) from the start of the process until it was ready. */
  readonly readyMs: number;
  readonly isRunning: () => boolean;
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<void>;
}

/** Cluster in which applications run, and the namespace of their records and drivers. */
export interface GatewayCluster {
  /** Path of the kubeconfig. */
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Directory for the state of the program. */
  readonly home: string;
  /** Further options of the gateway. */
  readonly options?: readonly string[];
}

const readyTimeoutMs = 120_000;

/** Starts a gateway, and waits until it is ready. @throws Error with its output if it ends, or is not ready in time */
export async function startGateway({
  kubeconfig,
  namespace,
  home,
  options = [],
}: GatewayCluster): Promise<GatewayProcess> {
  const { PATH = "" } = process.env;
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...["--use-openssl-ca", resolve("dist/bin/firesteel.cjs"), "gateway", "--port", "0", "-n", namespace],
      ...["--conf", "spark.kubernetes.container.image=spark:4.3.0", ...options],
    ],
    { env: { PATH, HOME: home, KUBECONFIG: kubeconfig }, stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise<void>((resolveEnd) => child.once("exit", () => resolveEnd()));
  const url = await urlOf(child);
  while (!(await isReady(url))) {
    if (performance.now() - started > readyTimeoutMs) throw new Error("The gateway does not become ready.");
    await setTimeout(10);
  }
  return {
    ...{ url, pid: child.pid ?? 0, readyMs: performance.now() - started },
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolveUrl, reject) => {
    let output = "";
    child.stderr?.on("data", (chunk) => {
      if (output.length < 10_000) output += chunk;
      const found = /^Gateway started on (\S+)$/m.exec(output)?.[1];
      if (found !== undefined) resolveUrl(found);
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`The gateway ended:\n${output}`)));
  });
}

async function isReady(url: string): Promise<boolean> {
  return (await fetchGateway(url, { method: "GET", path: "/readyz" })).status === 200;
}
