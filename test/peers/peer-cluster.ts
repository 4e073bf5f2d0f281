import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nodeHost } from "../../src/host/node-host.ts";
import { startCluster } from "../../src/local-cluster/index.ts";

/** How a program of others ended, and what it printed. */
export interface Ended {
  readonly exit: number;
  readonly out: string;
  readonly error: string;
}

export interface PeerCluster {
  /** For files of a test. */
  readonly folder: string;
  /** Runs a program that finds the cluster by its kubeconfig. */
  readonly run: (program: string, args: readonly string[], input?: string) => Promise<Ended>;
  /** The same, until it has printed what is waited for. */
  readonly runUntil: (program: string, args: readonly string[], wanted: RegExp) => Promise<Background>;
  readonly stop: () => Promise<void>;
}

export interface Background {
  /** What it has printed so far. */
  readonly printed: () => string;
  /** Resolves when that is printed, too. */
  readonly until: (wanted: RegExp) => Promise<void>;
  readonly end: () => void;
}

/** An embedded cluster for programs that know nothing of us. */
export async function startPeerCluster(): Promise<PeerCluster> {
  const folder = mkdtempSync(join(tmpdir(), "firesteel-peers-"));
  const directory = join(folder, "cluster");
  const cluster = await startCluster(nodeHost(), {
    ...{ directory, apiOnly: false, sandbox: "auto", sparkHomes: [], javaHome: undefined },
  });
  const start = (program: string, args: readonly string[]) =>
    spawn(program, args, {
      cwd: folder,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
        HOME: folder,
        KUBECONFIG: join(directory, "kubeconfig"),
      },
    });
  return {
    folder,
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
    async runUntil(program, args, wanted) {
      const background = inBackground(start(program, args));
      await background.until(wanted);
      return background;
    },
    async stop() {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function inBackground(child: ReturnType<typeof spawn>): Background {
  let text = "";
  let look = () => {};
  let hasEnded = false;
  const read = (chunk: Buffer) => {
    text += chunk.toString("utf8");
    look();
  };
  child.stdout?.on("data", read);
  child.stderr?.on("data", read);
  child.on("close", () => {
    hasEnded = true;
    look();
  });
  return {
    printed: () => text,
    until: (wanted) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (wanted.test(text)) resolve();
          else if (hasEnded) reject(new Error(`it ended without ${wanted}: ${text}`));
        };
        look();
      }),
    end: () => {
      child.kill();
    },
  };
}
