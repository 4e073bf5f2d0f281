import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Store } from "../store/open-store.ts";
import type { ServerHealth } from "./health.ts";

/** Metrics of the server. */
export interface StagingMetrics {
  /** Records a response with its route, status and duration. */
  readonly recordResponse: (route: string, status: number, seconds: number) => void;
  readonly received: (bytes: number) => void;
  readonly sent: (bytes: number) => void;
  readonly removedBundle: (reason: string) => void;
  /** Counts a change that the store did not take. */
  readonly unwrittenChange: () => void;
  readonly sweptBlobs: (count: number, bytes: number) => void;
  readonly recordRun: (seconds: number, bundles: number) => void;
  /** Returns the metrics in the Prometheus text format. */
  readonly print: () => Promise<{ readonly type: string; readonly text: string }>;
}

/** Creates the metrics, with counters at 0. */
export function stagingMetrics(
  store: Pick<Store, "freeBytes">,
  health: Pick<ServerHealth, "unknownOwners">,
): StagingMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: `firesteel_staging_${name}`, help, labelNames: [...labelNames], registers });
  const gauge = (name: string, help: string) => new Gauge({ name: `firesteel_staging_${name}`, help, registers });
  const duration = new Histogram({
    name: "firesteel_staging_request_seconds",
    help: "Duration of requests until the response.",
    labelNames: ["route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers,
  });
  const received = counter("received_bytes_total", "Received content bytes.", []);
  const sent = counter("sent_bytes_total", "Sent content bytes.", []);
  const removed = counter("removed_bundles_total", "Removed bundles by reason.", ["reason"]);
  const unwritten = counter("unwritten_changes_total", "Changes of bundles that the store did not take.", []);
  const swept = counter("swept_blobs_total", "Contents that the cleaner removed.", []);
  const sweptBytes = counter("swept_bytes_total", "Bytes of the contents that the cleaner removed.", []);
  const round = gauge("cleaner_round_seconds", "Duration of the cleaner's last run.");
  const bundles = gauge("bundles", "Bundles at the cleaner's last run.");
  new Gauge({
    name: "firesteel_staging_unknown_namespaces",
    help: "Namespaces whose pods could not be listed at the cleaner's last run.",
    registers,
    collect() {
      this.set(health.unknownOwners.size);
    },
  });
  new Gauge({
    name: "firesteel_staging_free_bytes",
    help: "Free bytes of the store.",
    registers,
    async collect() {
      // All other metrics must stay available when the store does not respond.
      this.set(await Promise.resolve(store.freeBytes()).catch(() => Number.NaN));
    },
  });
  return {
    recordResponse: (route, status, seconds) => duration.observe({ route, status }, seconds),
    received: (bytes) => received.inc(bytes),
    sent: (bytes) => sent.inc(bytes),
    removedBundle: (reason) => removed.inc({ reason }),
    unwrittenChange: () => unwritten.inc(),
    sweptBlobs(count, bytes) {
      swept.inc(count);
      sweptBytes.inc(bytes);
    },
    recordRun(seconds, bundleCount) {
      round.set(seconds);
      bundles.set(bundleCount);
    },
    print: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}
