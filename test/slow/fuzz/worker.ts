/** Runs targets in a worker thread, which `run-target.ts` watches. It is bundled together with the instrumented parsers. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { checker } from "./check.ts";
import { resetReached, takeReached } from "./coverage.ts";
import { type Material, nextInput, randomSource } from "./mutate.ts";
import type { FuzzTarget } from "./target.ts";
import { targets } from "./targets.ts";
import { progressIn, type WorkerStart, type WorkerTask } from "./worker-task.ts";

const { literals, seeds, shared }: WorkerStart = workerData;
const progress = progressIn(shared);
progress.threadId = process.platform === "linux" ? Number(basename(readlinkSync("/proc/thread-self"))) : 0;

parentPort?.on("message", async (task: WorkerTask | "names") => {
  if (task === "names") parentPort?.postMessage(targets.map(({ name }) => name));
  else parentPort?.postMessage(await run(task));
});

async function run(task: WorkerTask): Promise<"done"> {
  const target = targets.find(({ name }) => name === task.target);
  if (target === undefined) throw new Error(`There is no target ${task.target}.`);
  Object.assign(progress, { inputs: 0, branches: 0, seedBranches: 0, slowestMs: 0, peakBytes: 0 });
  resetReached();
  // The thread ends when an input waits for nothing that can happen.
  parentPort?.unref();
  if (task.input === undefined) await fuzz(target, task);
  else await checker(target, progress).check(Buffer.from(task.input));
  // Work that an input left behind must end before the next target.
  await new Promise((resolve) => setImmediate(resolve));
  parentPort?.ref();
  return "done";
}

async function fuzz(target: FuzzTarget, task: WorkerTask): Promise<void> {
  const { check, findings } = checker(target, progress);
  const corpus: Buffer[] = [];
  const tokens = new Map<string, Buffer>();
  const addToken = (token: string) => tokens.set(token, Buffer.from(token, "latin1"));
  const random = randomSource(createHash("sha256").update(`${task.seed} ${target.name}`).digest().readUInt32LE());
  let material: Material = { random, corpus, tokens: [], maxBytes: target.maxBytes ?? 4096 };
  const keepIfNew = (input: Buffer) => {
    const reached = takeReached();
    if (reached.length === 0) return;
    progress.branches += reached.length;
    for (const counter of reached) literals[counter]?.forEach(addToken);
    material = { ...material, tokens: [...tokens.values()] };
    if (input.length <= 2 * material.maxBytes) corpus.push(Buffer.from(input));
  };
  for (const seed of seedsOf(target)) {
    await check(seed);
    keepIfNew(seed);
    if (!corpus.some((known) => known.equals(seed))) corpus.push(seed);
    seed
      .toString("latin1")
      .match(/[\w.-]{2,30}/g)
      ?.forEach(addToken);
  }
  progress.seedBranches = progress.branches;
  const end = performance.now() + task.seconds * 1000;
  const hasTime = () => progress.inputs % 64 > 0 || performance.now() < end;
  while (progress.inputs < task.inputs && findings() < 5 && hasTime()) {
    const input = nextInput(material);
    const checked = check(input);
    // A synchronous target stays synchronous, which is several times faster.
    if (checked !== undefined) await checked;
    keepIfNew(input);
  }
}

function seedsOf({ name, seeds: made = [] }: FuzzTarget): readonly Buffer[] {
  const directory = join(seeds, name);
  const files = existsSync(directory) ? readdirSync(directory).sort() : [];
  const found = [...files.map((file) => readSeed(join(directory, file))), ...made.map((seed) => Buffer.from(seed))];
  return found.length === 0 ? [Buffer.alloc(0)] : found;
}

/** Reads a seed. Bytes that are not text are in files that end with `.hex`. */
function readSeed(path: string): Buffer {
  const content = readFileSync(path);
  return path.endsWith(".hex") ? Buffer.from(content.toString().replace(/\s/g, ""), "hex") : content;
}
