import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** How fast one process submits, and how fast the same API answers Node's own client. */
export interface Rates {
  readonly submissionsPerSecond: number;
  readonly submissionCpuMs: number;
  readonly requestsPerSecond: number;
  readonly bareRequestsPerSecond: number;
  readonly peakMemoryKiB: number;
}

const atOnce = 16;

/** Submits `count` times from one process of its own, through the library. */
export async function manySubmissions(given: {
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  /** PEM. */
  readonly authority: string;
  readonly directory: string;
  readonly count: string;
}): Promise<Rates> {
  const { env, words, authority, directory, count } = given;
  const file = join(directory, "authority.pem");
  writeFileSync(file, authority);
  const script = resolve("scripts/bench/many-submissions.mjs");
  const args = ["--use-openssl-ca", script, count, String(atOnce), file, ...words];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return parseRates(stdout);
}

function parseRates(text: string): Rates {
  return JSON.parse(text);
}
