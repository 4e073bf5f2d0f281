import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ServiceScope } from "./server/scope.ts";

/** State that the metrics show. */
type MeasuredScope = Pick<
  ServiceScope,
  "counters" | "registrations" | "source" | "buffers" | "memory" | "durations" | "host"
>;

/** Prints the metrics of a service. */
export interface ServiceMetrics {
  /** Returns the metrics in the Prometheus text format. */
  readonly print: () => Promise<{ readonly type: string; readonly text: string }>;
}

const buckets = [0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

/** Creates the metrics, and records durations from now on. Names follow those of Spark's ExternalShuffleService. */
export function serviceMetrics(
  scope: MeasuredScope,
  {
    directories,
    watchAgeMs,
  }: { readonly directories: readonly string[]; readonly watchAgeMs: () => number | undefined },
): ServiceMetrics {
  const { counters, registrations, source, buffers, memory, durations, host } = scope;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      ...{ name: `spark_shuffle_${name}`, help, registers },
      collect() {
        this.set(value());
      },
    });
  const total = (name: string, help: string, value: () => number) =>
    new Counter({
      ...{ name: `spark_shuffle_${name}_total`, help, registers },
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  const histogram = (name: string, help: string) =>
    new Histogram({ name: `spark_shuffle_${name}_request_seconds`, help, buckets, registers });
  const openStream = histogram("open_block", "Duration of requests that open a stream.");
  const registerExecutor = histogram("register_executor", "Duration of registrations.");
  durations.openStream = (seconds) => openStream.observe(seconds);
  durations.registerExecutor = (seconds) => registerExecutor.observe(seconds);
  total("transferred_blocks", "Blocks sent.", () => counters.blocks);
  total("transferred_chunks", "Chunks sent.", () => counters.chunks);
  total("transferred_bytes", "Bytes of blocks sent.", () => counters.bytes);
  total("index_cache_hits", "Index files found in the cache.", () => source.indexes.statistics().hits);
  total("index_cache_misses", "Index files read from disk.", () => source.indexes.statistics().misses);
  gauge("registered_executors", "Registered executors.", registrations.size);
  gauge("applications", "Applications with registered executors.", () => registrations.applications.size);
  gauge("active_connections", "Open connections.", () => counters.connections);
  gauge("open_streams", "Streams with chunks that have not been requested.", () => counters.openStreams);
  gauge("chunks_being_transferred", "Chunks that are being sent.", () => counters.chunksInFlight);
  gauge("open_files", "Open data files.", source.open.openFiles);
  gauge("index_cache_bytes", "Memory of the index cache.", () => source.indexes.statistics().sizeBytes);
  gauge("buffer_bytes", "Memory of buffers for file content.", buffers.sizeBytes);
  gauge("request_bytes", "Memory of incomplete requests and open streams.", memory.usedBytes);
  total("removed_bytes", "Bytes of files that the cleaner removed.", () => counters.removedBytes);
  new Counter({
    ...{
      name: "spark_shuffle_removed_applications_total",
      help: "Applications whose files were all removed, by reason.",
    },
    ...{ labelNames: ["reason"], registers },
    collect() {
      this.reset();
      for (const [reason, count] of counters.removedApplications) this.inc({ reason }, count);
    },
  });
  gauge("kubernetes_watch_age_seconds", "Time since the last list or event of driver pods.", () => {
    const ageMs = watchAgeMs();
    return ageMs === undefined ? Number.NaN : ageMs / 1000;
  });
  new Counter({
    ...{ name: "spark_shuffle_errors_total", help: "Errors by kind.", labelNames: ["kind"], registers },
    collect() {
      this.reset();
      for (const [kind, count] of Object.entries(counters.errors)) this.inc({ kind }, count);
    },
  });
  new Gauge({
    ...{
      name: "spark_shuffle_local_dir_free_bytes",
      help: "Free bytes of a directory.",
      labelNames: ["dir"],
      registers,
    },
    collect() {
      for (const dir of directories) this.set({ dir }, freeBytes(host.files, dir));
    },
  });
  return { print: async () => ({ type: registry.contentType, text: await registry.metrics() }) };
}

/** All other metrics must stay available when a directory does not exist. */
function freeBytes(files: MeasuredScope["host"]["files"], directory: string): number {
  try {
    return files.freeBytes(directory);
  } catch {
    return Number.NaN;
  }
}
