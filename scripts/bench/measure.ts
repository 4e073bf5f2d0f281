import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** A program with its arguments. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Expected exit code. */
  readonly exit: number;
}

/** Measures the ms from start to exit. @throws Error for an unexpected exit code or a signal */
export async function timeOf(command: Command): Promise<number> {
  const start = performance.now();
  await run(command);
  return performance.now() - start;
}

/** Measurements that `at-exit.cjs` writes when a Node program exits. */
export interface AtExit {
  readonly peakMemoryKiB: number;
  /** Processor time, user and system. */
  readonly cpuMs: number;
  /** Node's public modules that it loaded, without those of an empty program. */
  readonly modules: readonly string[];
  /** Size in bytes of each of Firesteel's chunks that it loaded. */
  readonly parts: Readonly<Record<string, number>>;
}

/** Measures the resources of a Node program. Apart from {@link timeOf}, because the measurement takes time itself. */
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

/** Resources that any program used. */
export type ResourceUsage = Pick<AtExit, "peakMemoryKiB" | "cpuMs">;

/**
 * Measures a program and its children by reading `/proc` every 10 ms: the largest sum of the peaks of the processes that run at the same
 * time, and the processor time including ended processes. `undefined` without `/proc`.
 */
export async function observeTree(command: Command): Promise<ResourceUsage | undefined> {
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

/** Measures the peak memory (KiB) of a waiting program two seconds after it printed `sign` on stderr, then kills it. */
export function peakMemoryWhileWaiting({ file, args, env }: Command, sign: string): Promise<number> {
  return new Promise((resolvePromise, reject) => {
    const child = spawn(file, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    let peak: number | undefined;
    child.stderr.on("data", (chunk) => {
      const isNew = !output.includes(sign);
      output += chunk;
      if (!isNew || !output.includes(sign)) return;
      setTimeout(() => {
        peak = peakOf(child.pid ?? 0);
        child.kill("SIGKILL");
      }, 2000);
    });
    child.on("error", reject);
    child.on("close", () => {
      if (peak === undefined) reject(new Error(`${file} did not wait:\n${output}`));
      else resolvePromise(peak);
    });
  });
}

/** Adds numbers. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function run({ file, args, env, exit }: Command, watch?: (pid: number) => () => void): Promise<void> {
  return new Promise((resolvePromise, reject) => {
    const child = spawn(file, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    const stop = child.pid === undefined ? undefined : watch?.(child.pid);
    let output = "";
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      stop?.();
      if (code === exit) resolvePromise();
      else reject(new Error(`${file} ${args.join(" ")} ended with ${code ?? signal}:\n${output}`));
    });
  });
}

/** Returns a process and its descendants; nothing without `/proc`. */
export function treeOf(pid: number): readonly number[] {
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

/** Reads the peak memory (KiB) of a process; 0 without `/proc`. */
export function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Reads the proportional set size (KiB) of a process; 0 without `/proc`. */
export function pssOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Reads the processor time (ms) of a process and its ended children; 0 without `/proc`. A tick is 10 ms: proc_pid_stat(5). */
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

/** Returns the middle value, or the mean of the two middle values. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** Describes Node, the platform, the processor and the current load. */
export function describeMachine(): string {
  const load = (loadavg()[0] ?? Number.NaN).toFixed(1);
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, load ${load}`;
}

/** Prints a Markdown table whose first column is text and whose others are numbers. */
export function numberTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map((row) => `| ${row.join(" | ")} |`);
}
