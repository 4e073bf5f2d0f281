/**
 * Fuzzes the parsers of outside input: generates inputs from seeds, keeps those that reach new code, and checks that each one ends
 * with a result or a documented error within a second of processor time and 200 MB.
 *
 *     npm run fuzz [-- --target NAME,…] [--inputs N] [--seconds N] [--seed TEXT] [--input FILE …]
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { build } from "rolldown";
import { coveragePrelude } from "../test/slow/fuzz/coverage.ts";
import { type Counters, instrument } from "../test/slow/fuzz/instrument.ts";
import {
  type Finding,
  type Progress,
  progressIn,
  sharedBytes,
  type WorkerTask,
} from "../test/slow/fuzz/worker-task.ts";

const { values: options } = parseArgs({
  options: {
    target: { type: "string" },
    inputs: { type: "string", default: "20000" },
    seconds: { type: "string", default: "600" },
    seed: { type: "string", default: String(Date.now()) },
    input: { type: "string", multiple: true, default: [] },
  },
});

/** Limits of one input. A waiting input uses no processor time, so its limit is longer. */
const maxProcessorMs = 1000;
const maxWaitMs = 20_000;
/** Memory of the corpus, of garbage, and of 200 MB for an input. */
const maxHeapMb = 320;
/** Workers of a target that may die, for example because of an input that does not end. */
const maxWorkers = 5;

/** Figures of one target. */
interface TargetRow {
  readonly target: string;
  readonly inputs: number;
  readonly "per s": number;
  readonly branches: number;
  readonly "not by seeds": number;
  readonly "slowest ms": number;
  readonly "peak MB": number;
  readonly findings: number;
}

const directory = mkdtempSync(join(resolve("node_modules"), ".fuzz-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
const reports = mkdtempSync(join(tmpdir(), "firesteel-fuzz-"));
const counters: Counters = { literals: [] };
const program = await buildWorker();
const names = options.target?.split(",") ?? (await listTargets()).filter((name) => name !== "self-test");
console.error(`Fuzzing ${names.length} targets, seed ${options.seed}. Inputs with findings are in ${reports}.`);
const rows: TargetRow[] = [];
for (const name of names) {
  if (options.input.length === 0) rows.push(await fuzzTarget(name));
  for (const file of options.input) rows.push(await fuzzTarget(name, readFileSync(file)));
}
console.table(rows);
const findings = rows.reduce((sum, row) => sum + row.findings, 0);
console.log(`${rows.reduce((sum, { inputs }) => sum + inputs, 0)} inputs, ${findings} findings, seed ${options.seed}.`);
if (findings === 0) rmSync(reports, { recursive: true });
process.exit(findings === 0 ? 0 : 1);

/** Bundles the worker with the targets and all packages, so that each module can be instrumented. */
async function buildWorker(): Promise<string> {
  const file = join(directory, "worker.mjs");
  await build({
    input: "test/slow/fuzz/worker.ts",
    platform: "node",
    output: { file, format: "esm", codeSplitting: false, banner: coveragePrelude },
    logLevel: "warn",
    checks: { pluginTimings: false },
    plugins: [
      {
        name: "instrument",
        transform(code, id) {
          if (id.includes("/test/slow/fuzz/") || !/\.[cm]?[jt]s$/.test(id)) return undefined;
          return instrument(code, id.endsWith("ts") ? "ts" : "js", counters);
        },
      },
    ],
  });
  return file;
}

function startWorker(target: string | undefined, task: Partial<WorkerTask>): Worker {
  const workerData: WorkerTask = {
    target,
    inputs: Number(options.inputs),
    seconds: Number(options.seconds),
    seed: options.seed,
    seeds: resolve("test/slow/fuzz/seeds"),
    input: undefined,
    literals: counters.literals,
    shared: new SharedArrayBuffer(sharedBytes),
    ...task,
  };
  return new Worker(program, { workerData, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
}

function listTargets(): Promise<readonly string[]> {
  return new Promise((done, fail) => startWorker(undefined, {}).on("message", done).on("error", fail));
}

/** Runs one target with generated inputs, or with one input. Starts another worker after one that died, with another seed. */
async function fuzzTarget(target: string, input?: Uint8Array): Promise<TargetRow> {
  const start = performance.now();
  const total = { inputs: 0, branches: 0, seedBranches: 0, slowestMs: 0, peakBytes: 0, findings: 0 };
  const report = ({ title, details, input }: Finding) => {
    total.findings += 1;
    const file = join(reports, `${target}-${createHash("sha256").update(input).digest("hex").slice(0, 8)}`);
    writeFileSync(file, input);
    console.error(`\n${target}: ${title}\n${details}\nInput of ${input.length} bytes: ${file}`);
    console.error(`To repeat it: npm run fuzz -- --target ${target} --input ${file}\n`);
  };
  const { inputs, seconds } = { inputs: Number(options.inputs), seconds: Number(options.seconds) };
  for (let count = 0; count < maxWorkers && total.findings < maxWorkers; count += 1) {
    const shared = new SharedArrayBuffer(sharedBytes);
    const progress = progressIn(shared);
    const rest = seconds - (performance.now() - start) / 1000;
    const seed = count === 0 ? options.seed : `${options.seed}.${count}`;
    const worker = startWorker(target, { inputs: inputs - total.inputs, seconds: rest, seed, shared, input });
    worker.on("message", report);
    const end = await watch(worker, progress, { target, inputs, start, total });
    total.inputs += progress.inputs;
    total.branches = Math.max(total.branches, progress.branches);
    total.seedBranches = Math.max(total.seedBranches, progress.seedBranches);
    total.slowestMs = Math.max(total.slowestMs, progress.slowestMs);
    total.peakBytes = Math.max(total.peakBytes, progress.peakBytes);
    if (end === undefined) break;
    report({ ...end, input: progress.current });
    if (input !== undefined || total.inputs >= inputs || rest <= 0) break;
  }
  return {
    target,
    inputs: total.inputs,
    "per s": Math.round(total.inputs / ((performance.now() - start) / 1000)),
    branches: total.branches,
    "not by seeds": total.branches - total.seedBranches,
    "slowest ms": Math.round(total.slowestMs),
    "peak MB": Math.round(total.peakBytes / 2 ** 20),
    findings: total.findings,
  };
}

interface WatchedRun {
  readonly target: string;
  readonly inputs: number;
  readonly start: number;
  readonly total: { readonly inputs: number };
}

/** Waits for a worker, and stops it when an input exceeds a limit. Returns how it died; `undefined` if it ended as planned. */
function watch(worker: Worker, progress: Progress, { target, inputs, start, total }: WatchedRun) {
  return new Promise<Pick<Finding, "title" | "details"> | undefined>((done) => {
    let seen = { inputs: -1, at: 0, processor: process.cpuUsage() };
    let reportedAt = performance.now();
    const end = (title: string, details: string) => {
      clearInterval(timer);
      worker.removeAllListeners();
      void worker.terminate().then(() => done({ title, details }));
    };
    const timer = setInterval(() => {
      const now = performance.now();
      if (now - reportedAt > 10_000) {
        reportedAt = now;
        const run = total.inputs + progress.inputs;
        console.error(
          `${target}: ${run} of ${inputs} inputs in ${Math.round((now - start) / 1000)} s, ${progress.branches} branches`,
        );
      }
      if (progress.inputs !== seen.inputs || !progress.isRunning) {
        seen = { inputs: progress.inputs, at: now, processor: process.cpuUsage() };
        return;
      }
      const used = process.cpuUsage(seen.processor);
      if ((used.user + used.system) / 1000 > maxProcessorMs) end("An input took more than one second", "");
      else if (now - seen.at > maxWaitMs) end("An input does not end", `After ${maxWaitMs / 1000} s, it still waits.`);
    }, 100);
    worker.on("error", (error) => end(`An error outside of the call: ${error.message}`, error.stack ?? ""));
    worker.on("exit", (code) => {
      if (code !== 0) return end("An input waits for something that does not happen", `The worker ended with ${code}.`);
      clearInterval(timer);
      done(undefined);
    });
  });
}
