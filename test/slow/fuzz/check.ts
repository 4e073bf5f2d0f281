import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort } from "node:worker_threads";
import { minimize } from "./minimize.ts";
import type { FuzzTarget } from "./target.ts";
import { isSubmitError } from "./targets.ts";
import type { Finding, Progress } from "./worker-task.ts";

const maxMemoryBytes = 200 * 2 ** 20;
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
/** 200 MB of new pages take at least this long. */
const minAllocationMs = 10;
/** Memory of the process when it was last measured. */
let memoryBytes = process.memoryUsage.rss();

/** Runs inputs of one target. */
interface Checker {
  /** Runs one input and reports a finding. Returns a promise only if the target does. */
  readonly check: (input: Buffer) => Promise<void> | undefined;
  /** Number of different findings. */
  readonly findings: () => number;
}

/** Creates a checker, which reports each defect once. */
export function checker(target: FuzzTarget, progress: Progress): Checker {
  const titles = new Set<string>();
  const isExpected = (error: unknown) => isSubmitError(error) || target.isExpected?.(error) === true;
  const report = async (input: Buffer, error: unknown) => {
    const title = titleOf(error);
    const isMemory = error instanceof MemoryError;
    if (titles.has(title) || (isMemory && !(await growsAgain(target, input)))) return;
    titles.add(title);
    const isSame = async (shorter: Buffer) => titleOf(await errorOf(target, shorter)) === title;
    const smallest = isMemory ? input : await minimize(input, isSame);
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const finding: Finding = { title, details, input: smallest };
    parentPort?.postMessage(finding);
  };
  const check = (input: Buffer) => {
    progress.inputs += 1;
    progress.current = input;
    progress.isRunning = true;
    const start = performance.now();
    const finish = (thrown?: unknown) => {
      const elapsed = performance.now() - start;
      progress.isRunning = false;
      if (elapsed > progress.slowestMs) progress.slowestMs = elapsed;
      const error = thrown === undefined || isExpected(thrown) ? memoryError(progress, elapsed) : thrown;
      return error === undefined ? undefined : report(input, error);
    };
    try {
      const result = target.run(input);
      return result instanceof Promise ? result.then(() => finish(), finish) : finish();
    } catch (error) {
      return finish(error ?? new Error("undefined was thrown"));
    }
  };
  return { check, findings: () => titles.size };
}

/** Checks the growth of the process. Measuring takes 20 µs, so it is done only after an input with enough time to allocate. */
function memoryError(progress: Progress, elapsedMs: number): Error | undefined {
  if (elapsedMs < minAllocationMs && progress.inputs % 64 > 0) return undefined;
  const before = memoryBytes;
  memoryBytes = process.memoryUsage.rss();
  progress.peakBytes = Math.max(progress.peakBytes, threadBytes());
  return memoryBytes - before > maxMemoryBytes ? new MemoryError("The input took more than 200 MB.") : undefined;
}

class MemoryError extends Error {
  override readonly name = "MemoryError";
}

/** Repeats an input: the process also grows by what the inputs before it, and other threads, left to be collected. */
async function growsAgain(target: FuzzTarget, input: Buffer): Promise<boolean> {
  collectGarbage();
  const before = threadBytes();
  await errorOf(target, input);
  return threadBytes() - before > maxMemoryBytes;
}

function threadBytes(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}

async function errorOf(target: FuzzTarget, input: Buffer): Promise<unknown> {
  try {
    await target.run(input);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Returns the error's class and its location in the code. Deep recursion ends at changing locations. */
function titleOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof RangeError && error.message.includes("call stack")) return "Maximum call stack size exceeded";
  const location = /\n\s+at (?:async )?([^\s(]+)/.exec(error.stack ?? "")?.[1] ?? "";
  return `${error.name} at ${location}: ${error.message.replace(/["'`].*|\d+/gs, "…").slice(0, 80)}`;
}
