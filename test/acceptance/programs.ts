import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The project's directory. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Outcome {
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<Outcome>;
}

/** Starts one of Firesteel's programs with a clean environment and its own home directory. */
export function start(
  program: "spark-submit" | "firesteel" | "spark-init-container",
  args: readonly string[],
  options: { env?: Readonly<Record<string, string>>; cwd?: string; maxOpenFiles?: number } = {},
): RunningProgram {
  const home = options.env?.["HOME"] ?? temporaryDirectory();
  const path = join(root, "dist", "bin", `${program}.cjs`);
  const limited = ["-c", `ulimit -n ${options.maxOpenFiles} && exec "$0" "$@"`, path, ...args];
  const [command, commandArgs] = options.maxOpenFiles === undefined ? [path, args] : ["/bin/sh", limited];
  const child = spawn(command, commandArgs, {
    cwd: options.cwd ?? home,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: home,
      KUBECONFIG: join(home, "no-kubeconfig"),
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ exit: code ?? signal ?? "?", ...output }));
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return { child, ended };
}

/** Environment with the user's Spark, Java and caches, so that nothing is downloaded twice, and with settings for a short Spark start. */
export function withSpark(env: Readonly<Record<string, string>>): Record<string, string> {
  const { SPARK_HOME, JAVA_HOME, XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
  return {
    ...(SPARK_HOME === undefined ? {} : { SPARK_HOME }),
    ...(JAVA_HOME === undefined ? {} : { JAVA_HOME }),
    XDG_CACHE_HOME,
    SPARK_CONF_DIR: join(root, "test", "spark", "spark-conf"),
    ...env,
  };
}

/** Runs one of Firesteel's programs until it exits. */
export function run(...call: Parameters<typeof start>): Promise<Outcome> {
  return start(...call).ended;
}

/** Creates a directory that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
