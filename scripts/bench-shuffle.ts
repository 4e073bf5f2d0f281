/**
 * Compares Firesteel's shuffle service with Spark's, on the same files:
 *
 *     SPARK_HOME=/path/to/spark npm run bench -- shuffle [--gigabytes 4] [--rounds 3] [--json]
 *
 * Each round runs both services, so that a busy machine slows both. The files are in the page cache, and the same load has run once.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cpuOf, describeMachine, median, numberTable, peakOf } from "./bench/measure.ts";
import { fetchAll, register, writeOutputs } from "./bench/shuffle-load.ts";
import { ownService, type ServiceKind, sparkService } from "./bench/shuffle-services.ts";

const [kibibyte, mebibyte] = [1024, 1024 * 1024];

interface Load {
  readonly blockBytes: number;
  readonly connections: number;
}

/** Sizes of blocks for eight connections, then numbers of connections for blocks of 1 MiB. With 4 KiB, there are 65,536 blocks. */
const loads: readonly Load[] = [
  ...[4 * kibibyte, 64 * kibibyte, 256 * kibibyte, mebibyte, 16 * mebibyte, 128 * mebibyte].map((blockBytes) => ({
    ...{ blockBytes, connections: 8 },
  })),
  ...[1, 64, 500].map((connections) => ({ blockBytes: mebibyte, connections })),
];

interface Measured {
  readonly megabytesPerSecond: number;
  readonly cpuSecondsPerGigabyte: number;
  readonly peakMiB: number;
}

interface Result extends Load {
  readonly service: string;
  readonly median: Measured;
}

/** Measures, and prints the results. */
export async function benchShuffle(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      gigabytes: { type: "string", default: "4" },
      rounds: { type: "string", default: "3" },
      json: { type: "boolean", default: false },
    },
  });
  const { SPARK_HOME } = process.env;
  const kinds = [ownService, ...(SPARK_HOME === undefined ? [] : [sparkService(SPARK_HOME)])];
  const directory = mkdtempSync(join(tmpdir(), "firesteel-bench-"));
  try {
    const results: Result[] = [];
    for (const load of loads) {
      const measured = await compare(directory, kinds, {
        load,
        bytes: Number(values.gigabytes) * 1e9,
        rounds: Number(values.rounds),
      });
      results.push(...measured);
    }
    const report = { machine: describeMachine(), results };
    process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : print(report));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Comparison {
  readonly load: Load;
  readonly bytes: number;
  readonly rounds: number;
}

async function compare(
  directory: string,
  kinds: readonly ServiceKind[],
  comparison: Comparison,
): Promise<readonly Result[]> {
  const { load, bytes, rounds } = comparison;
  const root = join(directory, "local");
  mkdirSync(root);
  // 500 files of 32 MiB would not fit into the page cache of a small machine.
  const maxBytes = load.connections > 8 ? 4 * mebibyte : 32 * mebibyte;
  const outputs = writeOutputs(root, { executors: load.connections, blockBytes: load.blockBytes, maxBytes });
  const measured = new Map<ServiceKind, Measured[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of kinds) {
      const port = await freePort();
      const service = await kind.start(directory, root, port);
      await register(port, outputs);
      // Both services compile their code while they run.
      await fetchAll(port, outputs, bytes);
      const [startedMs, startedCpuMs] = [performance.now(), cpuOf(service.pid)];
      await fetchAll(port, outputs, bytes);
      const total = Math.max(bytes, outputs.length * (outputs[0]?.blocks ?? 0) * load.blockBytes);
      measured.get(kind)?.push({
        megabytesPerSecond: total / 1e3 / (performance.now() - startedMs),
        cpuSecondsPerGigabyte: ((cpuOf(service.pid) - startedCpuMs) * 1e6) / total,
        peakMiB: peakOf(service.pid) / 1024,
      });
      await service.stop();
    }
  }
  rmSync(root, { recursive: true });
  return kinds.map((kind) => ({ ...load, service: kind.name, median: medianOf(measured.get(kind) ?? []) }));
}

function medianOf(all: readonly Measured[]): Measured {
  const of = (field: keyof Measured) => median(all.map((one) => one[field]));
  return {
    megabytesPerSecond: of("megabytesPerSecond"),
    cpuSecondsPerGigabyte: of("cpuSecondsPerGigabyte"),
    peakMiB: of("peakMiB"),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

function print({ machine, results }: { readonly machine: string; readonly results: readonly Result[] }): string {
  const rows = results.map(({ blockBytes, connections, service, median: found }) => [
    ...[`${blockBytes / kibibyte} KiB × ${connections}`, service, found.megabytesPerSecond.toFixed(0)],
    ...[found.cpuSecondsPerGigabyte.toFixed(2), found.peakMiB.toFixed(0)],
  ]);
  const head = ["blocks × connections", "service", "MB/s", "CPU s/GB", "peak MiB"];
  return `${[machine, "", ...numberTable(head, rows)].join("\n")}\n`;
}
