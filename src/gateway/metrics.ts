import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type KeptLogCounts, logOperations } from "./logs/kept-logs.ts";
import { gatewayStates } from "./model/application.ts";
import type { Applications } from "./model/applications.ts";
import type { FairQueue } from "./queue/fair-queue.ts";
import type { WebhookCounts } from "./webhooks/webhook-sender.ts";

/** Metrics of a gateway. */
export interface GatewayMetrics {
  /** Returns the metrics in the Prometheus text format. */
  readonly print: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly onResponse: (protocol: string, status: number, seconds: number) => void;
}

const buckets = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * Creates the metrics.
 *
 * @param counts those of the logs are `undefined` if the gateway keeps none
 */
export function gatewayMetrics(
  applications: Pick<Applications, "list">,
  queue: Pick<FairQueue, "usage">,
  counts: {
    readonly logs: (() => KeptLogCounts) | undefined;
    readonly webhooks: () => ReadonlyMap<string, WebhookCounts>;
  },
): GatewayMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    ...{ name: "firesteel_gateway_applications", help: "Applications by state.", labelNames: ["state"], registers },
    collect() {
      const counts = new Map<string, number>(gatewayStates.map((state) => [state, 0]));
      for (const { state } of applications.list()) counts.set(state, (counts.get(state) ?? 0) + 1);
      for (const [state, count] of counts) this.set({ state }, count);
    },
  });
  const queueGauge = (name: string, help: string, valueIn: (usage: ReturnType<FairQueue["usage"]>[number]) => number) =>
    new Gauge({
      ...{ name: `firesteel_gateway_queue_${name}`, help, labelNames: ["queue"], registers },
      collect() {
        this.reset();
        for (const usage of queue.usage()) this.set({ queue: usage.queue }, valueIn(usage));
      },
    });
  queueGauge("waiting", "Applications that wait in a queue.", ({ waiting }) => waiting);
  queueGauge("running", "Applications of a queue that run.", ({ running }) => running);
  queueGauge("cores", "Processors that the applications of a queue need at least.", ({ demand }) => demand.cores);
  queueGauge(
    "memory_mebibytes",
    "Memory that the applications of a queue need at least.",
    ({ demand }) => demand.memoryMiB,
  );
  if (counts.logs !== undefined) addLogMetrics(registry, counts.logs);
  addWebhookMetrics(registry, counts.webhooks);
  const responses = new Counter({
    ...{ name: "firesteel_gateway_responses_total", help: "Responses by protocol and status.", registers },
    labelNames: ["protocol", "status"],
  });
  const durations = new Histogram({
    ...{ name: "firesteel_gateway_request_seconds", help: "Duration of requests.", buckets, registers },
    labelNames: ["protocol"],
  });
  return {
    async print() {
      return { type: registry.contentType, text: await registry.metrics() };
    },
    onResponse(protocol, status, seconds) {
      responses.inc({ protocol, status: String(status) });
      durations.observe({ protocol }, seconds);
    },
  };
}

function addLogMetrics(registry: Registry, counts: () => KeptLogCounts): void {
  const registers = [registry];
  new Counter({
    ...{ name: "firesteel_gateway_logs_kept_total", help: "Complete logs of drivers that were stored.", registers },
    collect() {
      this.reset();
      this.inc(counts().kept);
    },
  });
  new Counter({
    ...{ name: "firesteel_gateway_log_failures_total", help: "Failures of the store of logs.", registers },
    labelNames: ["operation"],
    collect() {
      this.reset();
      const { failures } = counts();
      for (const operation of logOperations) this.inc({ operation }, failures.get(operation) ?? 0);
    },
  });
}

function addWebhookMetrics(registry: Registry, counts: () => ReadonlyMap<string, WebhookCounts>): void {
  const options = { labelNames: ["webhook"], registers: [registry] };
  const addCounter = (name: string, help: string, countIn: (counts: WebhookCounts) => number) =>
    new Counter({
      ...{ name: `firesteel_gateway_webhook_${name}`, help, ...options },
      collect() {
        this.reset();
        for (const [webhook, each] of counts()) this.inc({ webhook }, countIn(each));
      },
    });
  addCounter("delivered_total", "Events that a webhook has accepted.", ({ delivered }) => delivered);
  addCounter("failed_total", "Events that a webhook never gets.", ({ failed }) => failed);
  addCounter("failed_attempts_total", "Attempts that a webhook has not accepted.", (each) => each.failedAttempts);
  new Gauge({
    ...{ name: "firesteel_gateway_webhook_pending", help: "Events that a webhook must still get.", ...options },
    collect() {
      this.reset();
      for (const [webhook, { pending }] of counts()) this.set({ webhook }, pending);
    },
  });
}
