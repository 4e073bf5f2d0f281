import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { onTestFinished } from "vitest";

/** Result and resource usage of a program. */
export interface MeasuredRun {
  readonly exit: number | string;
  /** stdout and stderr, interleaved. */
  readonly output: string;
  readonly wallMs: number;
  /** User and system time of all its processes, in steps of 10 ms. */
  readonly cpuMs: number;
  readonly peakMiB: number;
}

const ticksPerSecond = 100;

/** Runs a program and reads `/proc` every 20 ms. */
export async function measuredRun(
  file: string,
  args: readonly string[],
  { env }: { env: Readonly<Record<string, string>> },
): Promise<MeasuredRun> {
  const start = performance.now();
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const used = new Map<number, { cpuMs: number; peakKiB: number }>();
  const timer = setInterval(() => {
    for (const pid of treeOf(child.pid ?? 0)) {
      const [before, now] = [used.get(pid) ?? nothing, usageOf(pid) ?? nothing];
      used.set(pid, {
        cpuMs: Math.max(before.cpuMs, now.cpuMs),
        peakKiB: Math.max(before.peakKiB, now.peakKiB),
      });
    }
  }, 20);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const exit = await new Promise<number | string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal ?? "?"));
  });
  clearInterval(timer);
  const all = [...used.values()];
  return {
    exit,
    output,
    wallMs: performance.now() - start,
    cpuMs: all.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    peakMiB: all.reduce((sum, { peakKiB }) => Math.max(sum, peakKiB), 0) / 1024,
  };
}

const nothing = { cpuMs: 0, peakKiB: 0 };

function treeOf(pid: number): readonly number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
    return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
  } catch {
    return [];
  }
}

function usageOf(pid: number): typeof nothing | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    const peak = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return { cpuMs: (ticks * 1000) / ticksPerSecond, peakKiB: Number(peak ?? 0) };
  } catch {
    return undefined;
  }
}
