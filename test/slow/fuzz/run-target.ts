import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { WorkerProgram } from "./build-worker.ts";
import { type Finding, type Progress, progressIn, sharedBytes, type WorkerTask } from "./worker-task.ts";

/** Limits of one input. A waiting input uses no processor time, so its limit is longer, and only for one that waits for a timer or a socket. */
const maxProcessorMs = 1000;
const maxWaitMs = 20_000;
/** Memory of the corpus, of garbage, and of 200 MB for an input. */
const maxHeapMb = 320;
const progressEveryMs = 10_000;
/** Unit of processor times in /proc. */
const msPerTick = 10;

/** A worker thread that runs targets one after the other. It dies with an input that exceeds a limit. */
export interface FuzzWorker {
  readonly thread: Worker;
  readonly progress: Progress;
}

/** Starts a worker. */
export function startWorker({ file, literals }: WorkerProgram, seeds: string): FuzzWorker {
  const shared = new SharedArrayBuffer(sharedBytes);
  const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb };
  const thread = new Worker(file, { workerData: { literals, seeds, shared }, resourceLimits });
  // A worker that is terminated can report that its memory is exhausted, also.
  thread.on("error", () => undefined);
  return { thread, progress: progressIn(shared) };
}

/** Returns the names of all targets. */
export async function listTargets({ thread }: FuzzWorker): Promise<readonly string[]> {
  thread.postMessage("names");
  const [names]: (readonly string[])[] = await once(thread, "message");
  return names ?? [];
}

/** Receivers of what happens during a run. */
interface Watch {
  readonly onFinding: (finding: Finding) => void;
  /** Every 10 s. */
  readonly onProgress: () => void;
}

/** Runs a task. Returns false if the worker died, after it reported the input with which it died. */
export function runTask({ thread, progress }: FuzzWorker, task: WorkerTask, watch: Watch): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isAlive: boolean) => {
      clearInterval(limits);
      clearInterval(reports);
      thread.off("message", receive).off("error", fail).off("exit", exit);
      if (isAlive) resolve(true);
      else void thread.terminate().finally(() => resolve(false));
    };
    const die = (title: string, details = "") => {
      watch.onFinding({ title, details, input: progress.current });
      end(false);
    };
    const receive = (message: Finding | "done") => {
      if (message === "done") end(true);
      else watch.onFinding(message);
    };
    const fail = (error: Error) => die(`An error outside of the call: ${error.message}`, error.stack);
    const exit = (code: number) => {
      if (code === 0) die("An input does not end", "It waits for nothing that can happen.");
      else die("The worker ended", `Its exit code is ${code}.`);
    };
    const reports = setInterval(watch.onProgress, progressEveryMs);
    const limits = setInterval(limitTimes(progress, die), 100);
    thread.on("message", receive).on("error", fail).on("exit", exit);
    thread.postMessage(task);
  });
}

/** Returns a check for an input that exceeds a time limit. */
function limitTimes(progress: Progress, die: (title: string, details?: string) => void): () => void {
  let seen = { inputs: -1, at: 0, processorMs: 0 };
  return () => {
    const now = performance.now();
    const processorMs = processorTime(progress.threadId);
    if (progress.inputs !== seen.inputs || !progress.isRunning)
      seen = { inputs: progress.inputs, at: now, processorMs };
    else if (processorMs - seen.processorMs > maxProcessorMs)
      die("An input took more than one second of processor time");
    else if (now - seen.at > maxWaitMs) die("An input does not end", `After ${maxWaitMs / 1000} s, it still waits.`);
  };
}

/** Returns the processor time of the worker's thread, which excludes the threads that collect its garbage. Linux only; else of the process. */
function processorTime(threadId: number): number {
  if (threadId === 0) return process.cpuUsage().user / 1000;
  const [, fields = ""] = readFileSync(`/proc/self/task/${threadId}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) * msPerTick;
}
