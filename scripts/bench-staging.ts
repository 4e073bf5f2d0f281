/**
 * How fast and how large a staging server is: `npm run bench -- staging [--size 1024] [--rounds 3] [--json]`, sizes in MiB. A server of
 * node:http that does the same work with a file, and nginx where there is one, do it in turn with ours, round after round, so that a
 * busy machine disturbs all alike. Each has a new process and an empty folder in each round; curl sends and reads.
 */
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Cleaned, cleanMany } from "./bench/many-bundles.ts";
import { contents, type ManyUploads, uploadTogether } from "./bench/many-uploads.ts";
import { cpuOf, median, peakOf } from "./bench/measure.ts";
import { bare, curl, nginx, ours, type Sent, type Target } from "./bench/staging-targets.ts";

/** Medians of all rounds. */
interface Transfers {
  readonly name: string;
  readonly up: HttpAgents;
  readonly down: HttpAgents;
  readonly peakMiB: number;
}

interface HttpAgents {
  readonly mibPerSecond: number;
  /** To node:http, round by round. */
  readonly ratio: number;
  readonly cpuSeconds: number;
}

/** Measures, and prints what it found. */
export async function benchStaging(words: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...words],
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
    const all = contents(Number(values.uploads), Number(values["upload-size"]) * mebibyte);
    const allOrAbort = await compareUploads(directory, all, rounds);
    const cleaned = await inFolder(directory, (own) => cleanMany(own, Number(values.bundles)));
    const report = { machine: machine(), file, transfers, allOrAbort, cleaned };
    process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : print(report, all.length));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const mebibyte = 1024 * 1024;

function makeFile(path: string, mebibytes: number): Sent {
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

async function inFolder<T>(parent: string, use: (directory: string) => Promise<T>): Promise<T> {
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

async function transfer(target: Target, directory: string, file: Sent): Promise<Round> {
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

async function compareTransfers(directory: string, file: Sent, rounds: number): Promise<readonly Transfers[]> {
  const other = nginx();
  const targets = [bare, ours, ...(other === undefined ? [] : [other])];
  const found = targets.map((): Round[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, target] of targets.entries()) {
      found[index]?.push(await inFolder(directory, (own) => transfer(target, own, file)));
    }
  }
  const way = (index: number, which: "up" | "down"): HttpAgents => {
    const own = (found[index] ?? []).map((round) => round[which]);
    return {
      mibPerSecond: median(own.map(({ seconds }) => file.size / mebibyte / seconds)),
      ratio: median(own.map(({ seconds }, round) => (found[0]?.[round]?.[which].seconds ?? Number.NaN) / seconds)),
      cpuSeconds: median(own.map(({ cpuSeconds }) => cpuSeconds)),
    };
  };
  return targets.map(({ name }, index) => ({
    ...{ name, up: way(index, "up"), down: way(index, "down") },
    peakMiB: median((found[index] ?? []).map(({ peakMiB }) => peakMiB)),
  }));
}

type Together = ManyUploads & { readonly ratio: number };

async function compareUploads(
  directory: string,
  all: ReturnType<typeof contents>,
  rounds: number,
): Promise<readonly Together[]> {
  const pairs: { readonly bare: ManyUploads; readonly ours: ManyUploads }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({
      bare: await inFolder(directory, (own) => uploadTogether(bare, own, all)),
      ours: await inFolder(directory, (own) => uploadTogether(ours, own, all)),
    });
  }
  return [bare, ours].map(({ name }) => {
    const own = pairs.map((pair) => (name === ours.name ? pair.ours : pair.bare));
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

function machine(): string {
  const load = (loadavg()[0] ?? Number.NaN).toFixed(1);
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, load ${load}`;
}

interface Report {
  readonly machine: string;
  readonly file: Sent;
  readonly transfers: readonly Transfers[];
  readonly allOrAbort: readonly Together[];
  readonly cleaned: Cleaned;
}

function print({ machine: where, file, transfers, allOrAbort, cleaned }: Report, uploads: number): string {
  const way = ({ mibPerSecond, ratio, cpuSeconds }: HttpAgents) => [
    mibPerSecond.toFixed(0),
    ratio.toFixed(2),
    cpuSeconds.toFixed(2),
  ];
  const table = (lines: readonly (readonly string[])[]) => {
    const [head = []] = lines;
    const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
    return [head, rule, ...lines.slice(1)].map((line) => `| ${line.join(" | ")} |`);
  };
  const columns = (name: string) => [`${name}, MiB/s`, "× bare", "cpu s"];
  const peak = "peak MiB";
  return [
    where,
    "",
    ...table([
      [`${file.size / mebibyte} MiB`, ...columns("up"), ...columns("down"), peak],
      ...transfers.map(({ name, up, down, peakMiB }) => [name, ...way(up), ...way(down), peakMiB.toFixed(0)]),
    ]),
    "",
    ...table([
      [`${uploads} uploads at once`, ...columns("up"), peak],
      ...allOrAbort.map((row) => [row.name, ...way(row), row.peakMiB.toFixed(0)]),
    ]),
    "",
    `one round of the cleaner over ${cleaned.bundles} bundles: ${cleaned.seconds.toFixed(2)} s, ` +
      `${cleaned.cpuSeconds.toFixed(2)} s of processor time with its waiting, peak ${cleaned.peakMiB.toFixed(0)} MiB`,
    "",
  ].join("\n");
}
