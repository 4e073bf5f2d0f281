/**
 * Fuzzes the parsers of outside input: generates inputs from seeds, keeps those that reach new code, and checks that each one ends
 * with a result or a documented error within a second of processor time and 200 MB.
 *
 *     npm run fuzz [-- --target NAME,…] [--inputs N] [--seconds N] [--seed TEXT] [--input FILE …]
 *         [--bundle DIR]
 *
 * Inputs and seconds are limits for each target. A directory in `node_modules` keeps the instrumented bundle for further runs.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildWorker } from "../test/slow/fuzz/build-worker.ts";
import { listTargets, runTask, startWorker } from "../test/slow/fuzz/run-target.ts";
import type { Finding } from "../test/slow/fuzz/worker-task.ts";

const { values: options } = parseArgs({
  options: {
    target: { type: "string" },
    inputs: { type: "string", default: "20000" },
    seconds: { type: "string", default: "600" },
    seed: { type: "string", default: String(Date.now()) },
    input: { type: "string", multiple: true, default: [] },
    bundle: { type: "string" },
  },
});

/** Findings after which a target is not continued. */
const maxFindings = 5;

/** Figures of one target. */
interface TargetRow {
  readonly target: string;
  inputs: number;
  seconds: number;
  branches: number;
  "not by seeds": number;
  "slowest ms": number;
  "peak MB": number;
  findings: number;
}

const directory = resolve(options.bundle ?? mkdtempSync(join("node_modules", ".fuzz-")));
if (options.bundle === undefined) process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
const reports = mkdtempSync(join(tmpdir(), "firesteel-fuzz-"));
const seeds = resolve("test/slow/fuzz/seeds");
const program = await buildWorker(directory);
let worker = startWorker(program, seeds);
const names = options.target?.split(",") ?? (await listTargets(worker)).filter((name) => name !== "self-test");
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

/** Runs one target with generated inputs, or with one input. Continues with another worker and seed after one that died. */
async function fuzzTarget(target: string, input?: Uint8Array): Promise<TargetRow> {
  const row: TargetRow = {
    ...{ target, inputs: 0, seconds: 0, branches: 0, "not by seeds": 0 },
    ...{ "slowest ms": 0, "peak MB": 0, findings: 0 },
  };
  const limits = { inputs: Number(options.inputs), seconds: Number(options.seconds) };
  const start = performance.now();
  for (let isAlive = false, deaths = 0; !isAlive && row.findings < maxFindings; deaths += 1) {
    const { progress } = worker;
    const before = { ...row };
    const update = () => {
      row.inputs = before.inputs + progress.inputs;
      row.seconds = Math.round((performance.now() - start) / 100) / 10;
      row.branches = Math.max(before.branches, progress.branches);
      row["not by seeds"] = row.branches - progress.seedBranches;
      row["slowest ms"] = Math.max(before["slowest ms"], Math.round(progress.slowestMs));
      row["peak MB"] = Math.max(before["peak MB"], Math.round(progress.peakBytes / 2 ** 20));
    };
    const onFinding = (finding: Finding) => {
      row.findings += 1;
      report(target, finding);
    };
    const onProgress = () => {
      update();
      console.error(
        `${target}: ${row.inputs} of ${limits.inputs} inputs in ${row.seconds} s, ${row.branches} branches`,
      );
    };
    const seed = deaths === 0 ? options.seed : `${options.seed}.${deaths}`;
    const rest = { inputs: limits.inputs - row.inputs, seconds: limits.seconds - row.seconds };
    isAlive = await runTask(worker, { target, seed, input, ...rest }, { onFinding, onProgress });
    update();
    if (!isAlive) worker = startWorker(program, seeds);
    if (input !== undefined) break;
  }
  return row;
}

/** Writes the input of a finding to a file, and prints how to repeat it. */
function report(target: string, { title, details, input }: Finding): void {
  const file = join(reports, `${target}-${createHash("sha256").update(input).digest("hex").slice(0, 8)}`);
  writeFileSync(file, input);
  console.error(`\n${target}: ${title}\n${details}\nInput of ${input.length} bytes: ${file}`);
  console.error(`To repeat it: npm run fuzz -- --target ${target} --input ${file}\n`);
}
