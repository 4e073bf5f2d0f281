import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nodeHost } from "../../src/host/node-host.ts";
import { startCluster } from "../../src/local-cluster/index.ts";

/** Exit code and output of a program. */
export interface Ended {
  readonly exit: number;
  readonly out: string;
  readonly error: string;
}

export interface PeerCluster {
  /** Working directory of the programs. */
  readonly directory: string;
  /** Runs a program with the cluster's kubeconfig. */
  readonly run: (program: string, args: readonly string[], input?: string) => Promise<Ended>;
  /** Starts a program and waits until its output matches. */
  readonly runUntil: (program: string, args: readonly string[], expected: RegExp) => Promise<Background>;
  readonly stop: () => Promise<void>;
}

export interface Background {
  /** Returns the output so far. */
  readonly printed: () => string;
  /** Resolves when the output matches. */
  readonly until: (expected: RegExp) => Promise<void>;
  readonly end: () => void;
}

/** Starts an embedded cluster for third-party programs. */
export async function startPeerCluster(): Promise<PeerCluster> {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-peers-"));
  const clusterDirectory = join(directory, "cluster");
  const cluster = await startCluster(nodeHost(), {
    ...{ directory: clusterDirectory, apiOnly: false, sandbox: "auto", sparkHomes: [], javaHome: undefined },
  });
  const start = (program: string, args: readonly string[]) =>
    spawn(program, args, {
      cwd: directory,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
        HOME: directory,
        KUBECONFIG: join(clusterDirectory, "kubeconfig"),
      },
    });
  return {
    directory,
    run(program, args, input = "") {
      const child = start(program, args);
      const printed = { out: "", error: "" };
      child.stdout.on("data", (chunk) => {
        printed.out += chunk;
      });
      child.stderr.on("data", (chunk) => {
        printed.error += chunk;
      });
      child.stdin.on("error", () => {});
      child.stdin.end(input);
      return new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code) => resolve({ exit: code ?? -1, ...printed }));
      });
    },
    async runUntil(program, args, expected) {
      const background = inBackground(start(program, args));
      await background.until(expected);
      return background;
    },
    async stop() {
      await cluster.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function inBackground(child: ReturnType<typeof spawn>): Background {
  let text = "";
  let check = () => {};
  let hasEnded = false;
  const read = (chunk: Buffer) => {
    text += chunk.toString("utf8");
    check();
  };
  child.stdout?.on("data", read);
  child.stderr?.on("data", read);
  child.on("close", () => {
    hasEnded = true;
    check();
  });
  return {
    printed: () => text,
    until: (expected) =>
      new Promise((resolve, reject) => {
        check = () => {
          if (expected.test(text)) resolve();
          else if (hasEnded) reject(new Error(`it ended without ${expected}: ${text}`));
        };
        check();
      }),
    end: () => {
      child.kill();
    },
  };
}
