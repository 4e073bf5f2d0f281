import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { SparkHome } from "../../src/spark/spark-home.ts";
import { type Outcome, run, withSpark } from "../acceptance/programs.ts";
import { type ContractClient, contractClient } from "../contract/contract-client.ts";
import { targets } from "../contract/target.ts";

/** Background cluster for the tests of a file. */
export interface SparkCluster {
  readonly url: () => string;
  /** Directory of the tests. */
  readonly directory: string;
  readonly kubeconfig: () => string;
  /** Environment of programs that use this cluster. */
  readonly env: () => Readonly<Record<string, string>>;
  /** Writes a file below the directory of the tests. Returns its path. */
  readonly file: (name: string, text: string) => string;
  /** Runs `firesteel` with this cluster as the default one. */
  readonly firesteel: (...args: string[]) => Promise<Outcome>;
  /** Runs Firesteel's `spark-submit` until the application ends. stdout has the driver's log. */
  readonly submit: (...args: string[]) => Promise<Outcome>;
  /** Runs `spark-submit` in the directory of an application, with additional variables. */
  readonly submitFrom: (
    directory: string,
    args: readonly string[],
    more?: Readonly<Record<string, string>>,
  ) => Promise<Outcome>;
  /** Runs `spark-submit` with a script; settings are `key=value`. */
  readonly submitScript: (text: string, settings: readonly string[]) => Promise<Outcome>;
  /** Calls the API as administrator. */
  readonly api: () => Promise<ContractClient>;
  /** Runs a program of Apache's distribution with the cluster. */
  readonly apache: (spark: SparkHome, call: ApacheCall) => Promise<Outcome>;
}

export interface ApacheCall {
  readonly program: "spark-submit" | "spark-shell" | "pyspark";
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Starts a cluster before the tests of a file and removes it after them. `more` is additional environment. */
export function sparkCluster(
  options: readonly string[] = [],
  more: () => Record<string, string> = () => ({}),
): SparkCluster {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-slow-"));
  // Containers run as other users.
  chmodSync(directory, 0o755);
  let scripts = 0;
  const kubeconfig = join(directory, "state", "clusters", "default", "kubeconfig");
  const env = () => withSpark({ FIRESTEEL_STATE: join(directory, "state"), KUBECONFIG: kubeconfig, ...more() });
  const firesteel = (...args: string[]) => run("firesteel", args, { env: env() });
  const url = () => /server: (\S+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "";
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const call = (command: string, args: readonly string[], more: Record<string, string> = {}) =>
    runToEnd(command, args, { env: { ...process.env, ...env(), ...more } });
  const submitFrom: SparkCluster["submitFrom"] = (cwd, args, more = {}) =>
    run("spark-submit", ["--master", "k8s://embedded", "--deploy-mode", "cluster", "--logs", "driver", ...args], {
      env: { ...env(), ...more },
      cwd,
    });
  const submit = (...args: string[]) => submitFrom(directory, args);
  const firesteelArgs = join(import.meta.dirname, "..", "..", "dist", "bin", "firesteel.cjs");
  beforeAll(async () => {
    const { exit, stderr } = await call(firesteelArgs, ["cluster", "start", ...options]);
    if (exit !== 0) throw new Error(stderr);
  });
  afterAll(async () => {
    await call(firesteelArgs, ["cluster", "stop"]);
    const caches = withSpark({})["XDG_CACHE_HOME"] ?? "";
    const eventLogs = join(caches, "firesteel", "event-logs", directory);
    for (const path of [directory, eventLogs]) rmSync(path, { recursive: true, force: true });
  });
  return {
    ...{ url, directory, file, firesteel, env },
    kubeconfig: () => kubeconfig,
    ...{ submit, submitFrom },
    async submitScript(text, settings) {
      scripts += 1;
      const args = settings.flatMap((setting) => ["--conf", setting]);
      return await submit(...args, file(`job-${scripts}.py`, text));
    },
    async api() {
      const target = await targets(kubeconfig).at(-1)?.open();
      if (target === undefined) throw new Error("no cluster");
      onTestFinished(() => target.close());
      return contractClient(target.transport);
    },
    apache: ({ home }, { program, args, env: more = {}, input = "" }) =>
      runToEnd(join(home, "bin", program), ["--master", `k8s://${url()}`, ...args], {
        env: { ...process.env, ...env(), SPARK_HOME: home, ...more },
        input,
      }),
  };
}

/** Runs a program until it exits. */
export function runToEnd(
  command: string,
  args: readonly string[],
  { env, input = "" }: { readonly env: NodeJS.ProcessEnv; readonly input?: string },
): Promise<Outcome> {
  const child = spawn(command, args, { env });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ exit: code ?? signal ?? "?", ...output }));
  });
}
