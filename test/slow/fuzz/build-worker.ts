import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import { coveragePrelude } from "./coverage.ts";
import { type Counters, instrument } from "./instrument.ts";

/** A worker's program, and the literals of its code by counter. */
export interface WorkerProgram extends Counters {
  readonly file: string;
}

/**
 * Bundles the worker with all targets and packages into a directory, so that each module can be instrumented. Reuses the bundle of an earlier
 * run in the same directory.
 */
export async function buildWorker(directory: string): Promise<WorkerProgram> {
  const record = join(directory, "worker.json");
  if (existsSync(record)) return JSON.parse(readFileSync(record, "utf8"));
  const program: WorkerProgram = { file: join(directory, "worker.mjs"), literals: [] };
  await build({
    input: "test/slow/fuzz/worker.ts",
    platform: "node",
    output: { file: program.file, format: "esm", codeSplitting: false, banner: coveragePrelude },
    logLevel: "warn",
    checks: { pluginTimings: false },
    plugins: [
      {
        name: "instrument",
        transform(code, id) {
          if (id.includes("/test/slow/fuzz/") || !/\.[cm]?[jt]s$/.test(id)) return undefined;
          return instrument(code, id.endsWith("ts") ? "ts" : "js", program);
        },
      },
    ],
  });
  writeFileSync(record, JSON.stringify(program));
  return program;
}
