import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { type Outcome, root, temporaryDirectory } from "../acceptance/programs.ts";
import type { Peer } from "../peers/fetch-peer.ts";
import { available } from "../requirements.ts";
import { hasPrinted } from "../spark/has-printed.ts";

/** Cluster and programs of a shell. */
export interface ChartShellInput {
  readonly kubeconfig: string;
  /** Further environment of the programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Directory of kubectl and Helm. */
  readonly kubectl: Peer;
}

/** Runs programs in a new directory, with Firesteel's, kubectl and Helm on the PATH. */
export function openShell({ kubeconfig, env, kubectl }: ChartShellInput) {
  const directory = temporaryDirectory();
  const bin = join(directory, "bin");
  mkdirSync(bin);
  for (const program of ["spark-submit", "firesteel"])
    symlinkSync(join(root, "dist", "bin", `${program}.cjs`), join(bin, program));
  for (const program of ["kubectl", "helm"])
    symlinkSync(join(available(kubectl).directory, program, program), join(bin, program));
  const start = (program: string, args: readonly string[]) => {
    const child = spawn(program, args, {
      cwd: directory,
      env: {
        PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"]}`,
        ...{ HOME: directory, KUBECONFIG: kubeconfig, ...env },
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const run = (program: string, ...args: readonly string[]): Promise<Outcome> => {
    return outcomeOf(start(program, args));
  };
  return {
    run,
    async succeed(program: string, ...args: readonly string[]): Promise<Outcome> {
      const ended = await run(program, ...args);
      if (ended.exit !== 0) throw new Error(`${program} ${args.join(" ")}: ${ended.stderr}\n${ended.stdout}`);
      return ended;
    },
    /** Runs a program, and an action once it has printed a line. */
    async runWithAction(
      [program, ...args]: readonly [string, ...string[]],
      line: string,
      action: () => Promise<void>,
    ): Promise<Outcome> {
      const child = start(program, args);
      const ended = outcomeOf(child);
      if (await hasPrinted(child, line)) await action();
      return await ended;
    },
    write: (name: string, text: string) => writeFileSync(join(directory, name), text),
    /** Starts a command that does not end by itself, and waits for its output. */
    async startUntil(command: string, expected: RegExp): Promise<{ readonly end: () => void }> {
      const child = start("bash", ["-c", `exec ${command}`]);
      let printed = "";
      await new Promise<void>((resolve, reject) => {
        for (const stream of [child.stdout, child.stderr]) {
          stream.on("data", (chunk) => {
            printed += chunk;
            if (expected.test(printed)) resolve();
          });
        }
        child.once("close", () => reject(new Error(`${command}: ${printed}`)));
      });
      return { end: () => void child.kill() };
    },
  };
}

function outcomeOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Outcome> {
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ exit: code ?? signal ?? "?", ...output }));
  });
}
