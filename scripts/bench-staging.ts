/**
 * Measures the speed and memory of a staging server: `npm run bench -- staging [--size 1024] [--rounds 3] [--json]`, sizes in MiB. A bare
 * node:http server and, if installed, nginx transfer the same file in alternating rounds, so that a busy machine slows all. Each round
 * starts a new process with an empty directory; curl sends and reads.
 */
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type CleanerRound, measureCleaner } from "./bench/many-bundles.ts";
import { makeContents, type UploadResult, uploadConcurrently } from "./bench/many-uploads.ts";
import { cpuOf, describeMachine, median, numberTable, peakOf } from "./bench/measure.ts";
import { bareServer, curl, nginx, type SentFile, stagingServer, type Target } from "./bench/staging-targets.ts";

/** Medians of all rounds of one server. */
interface Transfers {
  readonly name: string;
  readonly up: Throughput;
  readonly down: Throughput;
  readonly peakMiB: number;
}

interface Throughput {
  readonly mibPerSecond: number;
  /** Median of the ratios to node:http in the same round. */
  readonly ratio: number;
  readonly cpuSeconds: number;
}

/** Measures, and prints the results. */
export async function benchStaging(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      size: { type: "string", default: "1024" },
      rounds: { type: "string", default: "3" },
      uploads: { type: "string", default: "200" },
      "upload-size": { type: "string", default: "4" },
      bundles: { type: "string", default: "10000" },
      json: { type: "boolean", default: false },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), "firesteel-bench-"));
  const rounds = Number(values.rounds);
  try {
    const file = makeFile(join(directory, "file"), Number(values.size));
    const transfers = await compareTransfers(directory, file, rounds);
    const all = makeContents(Number(values.uploads), Number(values["upload-size"]) * mebibyte);
    const uploads = await compareUploads(directory, all, rounds);
    const cleaned = await withDirectory(directory, (own) => measureCleaner(own, Number(values.bundles)));
    const report = { machine: describeMachine(), file, transfers, uploadCount: all.length, uploads, cleaned };
    process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : print(report));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const mebibyte = 1024 * 1024;

function makeFile(path: string, mebibytes: number): SentFile {
  const piece = Buffer.alloc(mebibyte, "firesteel");
  const hash = createHash("sha256");
  const file = openSync(path, "w");
  for (let count = 0; count < mebibytes; count += 1) {
    piece.writeUInt32LE(count);
    writeSync(file, piece);
    hash.update(piece);
  }
  closeSync(file);
  return { path, hex: hash.digest("hex"), size: mebibytes * mebibyte };
}

async function withDirectory<T>(parent: string, use: (directory: string) => Promise<T>): Promise<T> {
  const directory = join(parent, "round");
  mkdirSync(directory);
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Round {
  readonly up: { readonly seconds: number; readonly cpuSeconds: number };
  readonly down: Round["up"];
  readonly peakMiB: number;
}

async function transfer(target: Target, directory: string, file: SentFile): Promise<Round> {
  const server = await target.start(directory);
  const timed = async <T>(work: () => Promise<T>) => {
    const [cpu, start] = [cpuOf(server.pid), performance.now()];
    const result = await work();
    const seconds = (performance.now() - start) / 1000;
    return { result, used: { seconds, cpuSeconds: (cpuOf(server.pid) - cpu) / 1000 } };
  };
  try {
    const up = await timed(() => target.put(server.port, file));
    const down = await timed(() => curl(...up.result));
    return { up: up.used, down: down.used, peakMiB: peakOf(server.pid) / 1024 };
  } finally {
    await server.stop();
  }
}

async function compareTransfers(directory: string, file: SentFile, rounds: number): Promise<readonly Transfers[]> {
  const other = nginx();
  const targets = [bareServer, stagingServer, ...(other === undefined ? [] : [other])];
  const found = targets.map((): Round[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, target] of targets.entries()) {
      found[index]?.push(await withDirectory(directory, (own) => transfer(target, own, file)));
    }
  }
  const throughput = (index: number, which: "up" | "down"): Throughput => {
    const own = (found[index] ?? []).map((round) => round[which]);
    return {
      mibPerSecond: median(own.map(({ seconds }) => file.size / mebibyte / seconds)),
      ratio: median(own.map(({ seconds }, round) => (found[0]?.[round]?.[which].seconds ?? Number.NaN) / seconds)),
      cpuSeconds: median(own.map(({ cpuSeconds }) => cpuSeconds)),
    };
  };
  return targets.map(({ name }, index) => ({
    ...{ name, up: throughput(index, "up"), down: throughput(index, "down") },
    peakMiB: median((found[index] ?? []).map(({ peakMiB }) => peakMiB)),
  }));
}

type UploadComparison = UploadResult & { readonly ratio: number };

async function compareUploads(
  directory: string,
  all: ReturnType<typeof makeContents>,
  rounds: number,
): Promise<readonly UploadComparison[]> {
  const pairs: { readonly bare: UploadResult; readonly staging: UploadResult }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({
      bare: await withDirectory(directory, (own) => uploadConcurrently(bareServer, own, all)),
      staging: await withDirectory(directory, (own) => uploadConcurrently(stagingServer, own, all)),
    });
  }
  return [bareServer, stagingServer].map(({ name }) => {
    const own = pairs.map((pair) => (name === stagingServer.name ? pair.staging : pair.bare));
    return {
      name,
      mibPerSecond: median(own.map(({ mibPerSecond }) => mibPerSecond)),
      ratio: median(
        own.map(({ mibPerSecond }, round) => mibPerSecond / (pairs[round]?.bare.mibPerSecond ?? Number.NaN)),
      ),
      cpuSeconds: median(own.map(({ cpuSeconds }) => cpuSeconds)),
      peakMiB: median(own.map(({ peakMiB }) => peakMiB)),
    };
  });
}

interface Report {
  readonly machine: string;
  readonly file: SentFile;
  readonly transfers: readonly Transfers[];
  readonly uploadCount: number;
  readonly uploads: readonly UploadComparison[];
  readonly cleaned: CleanerRound;
}

function print({ machine, file, transfers, uploadCount, uploads, cleaned }: Report): string {
  const cells = ({ mibPerSecond, ratio, cpuSeconds }: Throughput) => [
    mibPerSecond.toFixed(0),
    ratio.toFixed(2),
    cpuSeconds.toFixed(2),
  ];
  const columns = (name: string) => [`${name}, MiB/s`, "× bare", "cpu s"];
  const peak = "peak MiB";
  return [
    machine,
    "",
    ...numberTable(
      [`${file.size / mebibyte} MiB`, ...columns("up"), ...columns("down"), peak],
      transfers.map(({ name, up, down, peakMiB }) => [name, ...cells(up), ...cells(down), peakMiB.toFixed(0)]),
    ),
    "",
    ...numberTable(
      [`${uploadCount} concurrent uploads`, ...columns("up"), peak],
      uploads.map((row) => [row.name, ...cells(row), row.peakMiB.toFixed(0)]),
    ),
    "",
    `one cleaner round over ${cleaned.bundles} bundles: ${cleaned.seconds.toFixed(2)} s, ` +
      `${cleaned.cpuSeconds.toFixed(2)} s of processor time including the wait, peak ${cleaned.peakMiB.toFixed(0)} MiB`,
    "",
  ].join("\n");
}
