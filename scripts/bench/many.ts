import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** Rates of one process that submits many times, and of Node's own client with the same API. */
export interface Rates {
  readonly submissionsPerSecond: number;
  readonly submissionCpuMs: number;
  readonly requestsPerSecond: number;
  readonly bareRequestsPerSecond: number;
  readonly peakMemoryKiB: number;
}

const concurrency = 16;

/** Submits `count` times through the library, in a process of its own. */
export async function manySubmissions(options: {
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of spark-submit. */
  readonly args: readonly string[];
  /** PEM. */
  readonly authority: string;
  readonly directory: string;
  readonly count: string;
}): Promise<Rates> {
  const { env, args, authority, directory, count } = options;
  const file = join(directory, "authority.pem");
  writeFileSync(file, authority);
  const script = resolve("scripts/bench/many-submissions.mjs");
  const nodeArgs = ["--use-openssl-ca", script, count, String(concurrency), file, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, nodeArgs, { env });
  return parseRates(stdout);
}

function parseRates(text: string): Rates {
  return JSON.parse(text);
}
