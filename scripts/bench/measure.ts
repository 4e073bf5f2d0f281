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
  const directory = mkdtempSync(join(tmpdir(), "firesteel-bench-"));
  const note = join(directory, "at-exit.json");
  try {
    const preload = `--require=${resolve("scripts/bench/at-exit.cjs")}`;
    await run({ ...command, env: { ...command.env, NODE_OPTIONS: preload, FIRESTEEL_AT_EXIT: note } });
    return parseAtExit(readFileSync(note, "utf8"));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What a program used that is no Node program. */
export type Used = Pick<AtExit, "peakMemoryKiB" | "cpuMs">;

/**
 * What a program and its children used, by looking at `/proc` each 10 ms: the peak of each process, added for those that live at the
 * same time, and the processor time of them and of those that ended before. `undefined` where there is no `/proc`.
 */
export async function observeTree(command: Command): Promise<Used | undefined> {
  const used = { peakMemoryKiB: 0, cpuMs: 0 };
  await run(command, (pid) => {
    const timer = setInterval(() => {
      const members = treeOf(pid);
      used.peakMemoryKiB = Math.max(used.peakMemoryKiB, sum(members.map(peakOf)));
      used.cpuMs = Math.max(used.cpuMs, sum(members.map(cpuOf)));
    }, 10);
    return () => clearInterval(timer);
  });
  return used.peakMemoryKiB === 0 ? undefined : used;
}

/** Peak memory (KiB) of a program that waits: two seconds after it has said `sign`. It is then killed. */
export function peakMemoryWhileWaiting({ file, args, env }: Command, sign: string): Promise<number> {
  return new Promise((resolvePromise, reject) => {
    const child = spawn(file, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    let peak: number | undefined;
    child.stderr.on("data", (chunk) => {
      const isNew = !said.includes(sign);
      said += chunk;
      if (!isNew || !said.includes(sign)) return;
      setTimeout(() => {
        peak = peakOf(child.pid ?? 0);
        child.kill("SIGKILL");
      }, 2000);
    });
    child.on("error", reject);
    child.on("close", () => {
      if (peak === undefined) reject(new Error(`${file} did not wait:\n${said}`));
      else resolvePromise(peak);
    });
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
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

/** Most memory (KiB) that a process ever had; 0 where there is no `/proc`. */
export function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Ms of its own and of its children that ended; a tick is 10 ms. Source: proc_pid_stat(5). */
export function cpuOf(pid: number): number {
  try {
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    return sum(fields.split(" ").slice(11, 15).map(Number)) * 10;
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
