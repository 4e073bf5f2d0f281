import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Store } from "./store/open-store.ts";

/** Metrics of the server. */
export interface StagingMetrics {
  /** A request was answered: what it was about, with which status, in which time. */
  readonly answered: (route: string, status: number, seconds: number) => void;
  readonly received: (bytes: number) => void;
  readonly sent: (bytes: number) => void;
  readonly removedBundle: (reason: string) => void;
  readonly sweptBlobs: (count: number, bytes: number) => void;
  readonly cleaned: (seconds: number, bundles: number, unknownNamespaces: number) => void;
  /** The text that Prometheus reads. */
  readonly print: () => Promise<{ readonly type: string; readonly text: string }>;
}

/** Counts from zero. */
export function stagingMetrics(store: Pick<Store, "freeBytes">): StagingMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: `firesteel_staging_${name}`, help, labelNames: [...labelNames], registers });
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `firesteel_staging_${name}`, help, registers });
  const duration = new Histogram({
    name: "firesteel_staging_request_seconds",
    help: "Time until a request was answered.",
    labelNames: ["route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers,
  });
  const received = counter("received_bytes_total", "Bytes of contents that came.", []);
  const sent = counter("sent_bytes_total", "Bytes of contents that went.", []);
  const removed = counter("removed_bundles_total", "Bundles that were removed, by why.", ["reason"]);
  const swept = counter("swept_blobs_total", "Contents that nobody needed any more.", []);
  const sweptBytes = counter("swept_bytes_total", "Their bytes.", []);
  const round = gauge("cleaner_round_seconds", "Time that the last round of the cleaner took.");
  const bundles = gauge("bundles", "Bundles at the last round of the cleaner.");
  const unknown = gauge("unknown_namespaces", "Namespaces whose pods could not be listed at the last round.");
  new Gauge({
    name: "firesteel_staging_free_bytes",
    help: "Bytes that the store may still write.",
    registers,
    async collect() {
      this.set(await store.freeBytes());
    },
  });
  return {
    answered: (route, status, seconds) => duration.observe({ route, status }, seconds),
    received: (bytes) => received.inc(bytes),
    sent: (bytes) => sent.inc(bytes),
    removedBundle: (reason) => removed.inc({ reason }),
    sweptBlobs(count, bytes) {
      swept.inc(count);
      sweptBytes.inc(bytes);
    },
    cleaned(seconds, bundleCount, unknownNamespaces) {
      round.set(seconds);
      bundles.set(bundleCount);
      unknown.set(unknownNamespaces);
    },
    print: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}
