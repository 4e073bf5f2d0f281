/** Runs one target in a worker thread, which `scripts/fuzz.ts` watches. It is bundled together with the instrumented parsers. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { takeReached } from "./coverage.ts";
import { minimize } from "./minimize.ts";
import { type Material, nextInput, randomSource } from "./mutate.ts";
import type { FuzzTarget } from "./target.ts";
import { isSubmitError, targets } from "./targets.ts";
import { type Finding, progressIn, type WorkerTask } from "./worker-task.ts";

const task: WorkerTask = workerData;
const progress = progressIn(task.shared);
const maxMemoryBytes = 200 * 2 ** 20;
/** 200 MB of new pages take at least this long. */
const minAllocationMs = 10;
/** Memory of the process when it was last measured. */
let memoryBytes = process.memoryUsage.rss();
const titles = new Set<string>();
const target = targets.find(({ name }) => name === task.target);
if (target === undefined) parentPort?.postMessage(targets.map(({ name }) => name));
else if (task.input === undefined) await fuzz(target);
else await check(target, Buffer.from(task.input));
process.exit();

async function fuzz(target: FuzzTarget): Promise<void> {
  const corpus: Buffer[] = [];
  const tokens = new Map<string, Buffer>();
  const addToken = (token: string) => tokens.set(token, Buffer.from(token, "latin1"));
  let material: Material = {
    random: randomSource(seedOf(target)),
    corpus,
    tokens: [],
    maxBytes: target.maxBytes ?? 4096,
  };
  const keepIfNew = (input: Buffer) => {
    const reached = takeReached();
    if (reached.length === 0) return;
    progress.branches += reached.length;
    for (const counter of reached) task.literals[counter]?.forEach(addToken);
    material = { ...material, tokens: [...tokens.values()] };
    if (input.length <= 2 * material.maxBytes) corpus.push(Buffer.from(input));
  };
  takeReached();
  for (const seed of seedsOf(target)) {
    await check(target, seed);
    keepIfNew(seed);
    if (!corpus.some((known) => known.equals(seed))) corpus.push(seed);
    seed
      .toString("latin1")
      .match(/[\w.-]{2,30}/g)
      ?.forEach(addToken);
  }
  progress.seedBranches = progress.branches;
  const end = performance.now() + task.seconds * 1000;
  while (progress.inputs < task.inputs && titles.size < 5 && (progress.inputs % 64 > 0 || performance.now() < end)) {
    const input = nextInput(material);
    const checked = check(target, input);
    if (checked !== undefined) await checked;
    keepIfNew(input);
  }
}

function seedOf({ name }: FuzzTarget): number {
  return createHash("sha256").update(`${task.seed} ${name}`).digest().readUInt32LE();
}

function seedsOf({ name, seeds = [] }: FuzzTarget): readonly Buffer[] {
  const directory = join(task.seeds, name);
  const files = existsSync(directory) ? readdirSync(directory).sort() : [];
  const found = [...files.map((file) => readSeed(join(directory, file))), ...seeds.map((seed) => Buffer.from(seed))];
  return found.length === 0 ? [Buffer.alloc(0)] : found;
}

/** Reads a seed. Bytes that are not text are in files that end with `.hex`. */
function readSeed(path: string): Buffer {
  const content = readFileSync(path);
  return path.endsWith(".hex") ? Buffer.from(content.toString().replace(/\s/g, ""), "hex") : content;
}

/** Runs one input and reports a finding. Stays synchronous for a synchronous target, which is several times faster. */
function check(target: FuzzTarget, input: Buffer): Promise<void> | undefined {
  progress.inputs += 1;
  progress.current = input;
  progress.isRunning = true;
  const start = performance.now();
  const finish = (thrown?: unknown) => {
    const elapsed = performance.now() - start;
    progress.isRunning = false;
    if (elapsed > progress.slowestMs) progress.slowestMs = elapsed;
    const isExpected = thrown === undefined || isSubmitError(thrown) || target.isExpected?.(thrown) === true;
    const error = isExpected ? memoryError(elapsed) : thrown;
    return error === undefined ? undefined : reportError(target, input, error);
  };
  try {
    const result = target.run(input);
    return result instanceof Promise ? result.then(() => finish(), finish) : finish();
  } catch (error) {
    return finish(error ?? new Error("undefined was thrown"));
  }
}

/** Checks the growth of the process. Measuring takes 20 µs, so it is done only after an input with enough time to allocate. */
function memoryError(elapsedMs: number): Error | undefined {
  if (elapsedMs < minAllocationMs && progress.inputs % 64 > 0) return undefined;
  const before = memoryBytes;
  memoryBytes = process.memoryUsage.rss();
  const { heapTotal, external } = process.memoryUsage();
  progress.peakBytes = Math.max(progress.peakBytes, heapTotal + external);
  return memoryBytes - before > maxMemoryBytes ? new Error("The input took more than 200 MB of memory.") : undefined;
}

async function reportError(target: FuzzTarget, input: Buffer, error: unknown): Promise<void> {
  const title = titleOf(error);
  if (titles.has(title)) return;
  titles.add(title);
  const smallest = await minimize(input, async (shorter) => titleOf(await errorOf(target, shorter)) === title);
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const finding: Finding = { title, details, input: smallest };
  parentPort?.postMessage(finding);
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
