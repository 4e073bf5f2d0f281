import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** A program with its arguments. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The exit code that makes a run count. */
  readonly exit: number;
}

/** Ms from start to exit. @throws Error when it ends otherwise than it should */
export async function timeOf(command: Command): Promise<number> {
  const start = performance.now();
  await run(command);
  return performance.now() - start;
}

/** What a Node program notes about itself at its end. */
export interface AtExit {
  readonly peakMemoryKiB: number;
  /** Processor time, user and system. */
  readonly cpuMs: number;
  /** Public modules of Node that it loaded beyond those of an empty program. */
  readonly modules: readonly string[];
  /** Bytes of each part of ours that it loaded. */
  readonly parts: Readonly<Record<string, number>>;
}

/** Runs a Node program once more to learn what it used; noting that costs time, so it is not timed. */
export async function observe(command: Command): Promise<AtExit> {
  const folder = mkdtempSync(join(tmpdir(), "firesteel-bench-"));
  const note = join(folder, "at-exit.json");
  try {
    const preload = `--require=${resolve("scripts/bench/at-exit.cjs")}`;
    await run({ ...command, env: { ...command.env, NODE_OPTIONS: preload, FIRESTEEL_AT_EXIT: note } });
    return parseAtExit(readFileSync(note, "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Peak memory (KiB) of a program and its children, by looking at `/proc` each 10 ms: each process's own peak, added for
 * those that live at the same time. `undefined` where there is no `/proc`.
 */
export async function peakMemoryOfTree(command: Command): Promise<number | undefined> {
  let peak: number | undefined;
  await run(command, (pid) => {
    const timer = setInterval(() => {
      const now = treeOf(pid).reduce((sum, member) => sum + peakOf(member), 0);
      peak = Math.max(peak ?? 0, now) || undefined;
    }, 10);
    return () => clearInterval(timer);
  });
  return peak;
}

function run({ file, args, env, exit }: Command, watch?: (pid: number) => () => void): Promise<void> {
  return new Promise((resolvePromise, reject) => {
    const child = spawn(file, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    const stop = child.pid === undefined ? undefined : watch?.(child.pid);
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      stop?.();
      if (code === exit) resolvePromise();
      else reject(new Error(`${file} ${args.join(" ")} ended with ${code ?? signal}:\n${said}`));
    });
  });
}

function treeOf(pid: number): readonly number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
    return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
  } catch {
    return [];
  }
}

function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function parseAtExit(text: string): AtExit {
  return JSON.parse(text);
}

/** The middle one; of two middle ones their mean. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
