import { apiProtocol } from "../../src/gateway/api/api-protocol.ts";
import { schedulesProtocol } from "../../src/gateway/api/schedules-protocol.ts";
import { type OpenApplications, openApplications } from "../../src/gateway/applications/open-applications.ts";
import { defaultRetryPolicy } from "../../src/gateway/applications/retry-policy.ts";
import { dashboardProtocol } from "../../src/gateway/dashboard/dashboard-protocol.ts";
import { readDashboard } from "../../src/gateway/dashboard/read-dashboard.ts";
import { withoutAuthentication } from "../../src/gateway/http/authenticate.ts";
import { gatewayListener } from "../../src/gateway/http/serve-gateway.ts";
import { unknownPaths } from "../../src/gateway/http/service-protocol.ts";
import { podLogs } from "../../src/gateway/logs/pod-logs.ts";
import type { ApplicationRecord } from "../../src/gateway/model/application.ts";
import type { Schedules } from "../../src/gateway/model/schedules.ts";
import { fairQueue } from "../../src/gateway/queue/fair-queue.ts";
import { noRules, type QueueRule, schedulersOf } from "../../src/gateway/queue/queue-rules.ts";
import { startUsageHistory } from "../../src/gateway/queue/usage-history.ts";
import { secretStores } from "../../src/gateway/records/secret-stores.ts";
import { openSchedules } from "../../src/gateway/schedules/open-schedules.ts";
import { explainDriver } from "../../src/gateway/submit/explain-driver.ts";
import { noTracing } from "../../src/gateway/tracing/tracing.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { openHttpServer } from "../../src/http/serve.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { applicationEvents } from "../../src/masters/kubernetes/diagnose/application-events.ts";
import { root } from "../architecture/sources.ts";

/** A gateway with the dashboard. */
export interface DashboardGateway {
  readonly url: string;
  readonly applications: OpenApplications;
  readonly schedules: Schedules;
  readonly stop: () => Promise<void>;
}

/** Messages of the failures that the tests cause, by the reason of the driver's end. */
const diagnosis = "The driver needs more memory than its limit. Increase spark.driver.memory, then run it again.";

/**
 * Opens a gateway with the built dashboard on an embedded API. Queue `nightly` runs two applications at a time, and YuniKorn decides
 * about queue `research`.
 *
 * @param log lines that every driver has written
 */
export async function openDashboardGateway(
  cluster: EmbeddedCluster,
  log: () => readonly string[],
): Promise<DashboardGateway> {
  const host = nodeHost();
  const transport = withLogs(cluster.transport, log);
  const options = { transport, server: cluster.url, clock: host.clock, log: () => {}, requestTimeoutMs: 10_000 };
  const client = kubeClient(options);
  const queues = new Map<string, QueueRule>([
    ["default", { weight: 2 }],
    ["nightly", { weight: 1, maxRunning: 2 }],
    ["research", { weight: 1, scheduler: { kind: "yunikorn", queue: "root.research" } }],
  ]);
  const queue = fairQueue({ ...noRules, queues }, () => []);
  const usage = startUsageHistory(host.clock, queue, { intervalMs: 100, maxSamples: 100 });
  const defaults = {
    master: "k8s://https://127.0.0.1:6443",
    settings: { "spark.kubernetes.container.image": "spark:4.3.0", "spark.hadoop.fs.s3a.secret.key": "hidden-value" },
    ...{ user: "spark", gateway: "gateway", schedulers: schedulersOf({ ...noRules, queues }) },
  };
  const stores = secretStores({ client, host, namespace: "default", gateway: "gateway", onUnreadable: () => {} });
  const applications = await openApplications({
    ...{ host, client, log: () => {}, logs: podLogs(client), openEmbedded: undefined, defaults, queue },
    store: stores.applications,
    ...{ namespace: "default", namespaces: ["default"], maxConcurrent: 8 },
    retries: defaultRetryPolicy,
    retention: { keepMs: 86_400_000, maxEnded: 10_000 },
    diagnose: async () => diagnosis,
    receivers: { namesFor: () => [], deliver: async () => true },
    tracing: noTracing,
  });
  const schedules = await openSchedules({
    ...{ host, log: () => {}, applications, check: applications.check, tracing: noTracing },
    store: stores.schedules,
  });
  const protocols = [
    schedulesProtocol({ schedules, namespace: "default" }),
    apiProtocol({
      ...{ host, applications, diagnose: async () => "No node has 64 cores. Request fewer, or add a node." },
      explain: ({ record }) => explainDriver({ host, client, defaults, openEmbedded: undefined }, record),
      events: ({ record: { namespace, podName: name } }) =>
        applicationEvents(client, { metadata: { namespace, name } }),
      links: () => ({}),
      queues: { usage: queue.usage, samples: usage.samples },
    }),
    dashboardProtocol(readDashboard(host.files, `${root}/dist/dashboard`), "/spark"),
  ];
  const server = await openHttpServer({
    ...{ address: "127.0.0.1", port: 0, clock: host.clock, onOverload: () => {}, healthPaths: [] },
    respond: gatewayListener({
      ...{ clock: host.clock, log: () => {}, authenticate: withoutAuthentication, prefix: "/spark" },
      ...{ maxBodyBytes: 1_000_000, fallback: () => unknownPaths },
      protocols: () => protocols,
    }),
  });
  return {
    url: `http://127.0.0.1:${server.port}/spark`,
    ...{ applications, schedules },
    async stop() {
      usage.stop();
      await server.close(0);
      await schedules.close();
      await applications.close();
    },
  };
}

/** Responds to requests for logs, which an API without nodes cannot serve. */
function withLogs(transport: Transport, log: () => readonly string[]): Transport {
  return async (request) => {
    if (!/\/pods\/[^/]+\/log\b/.test(request.path)) return transport(request);
    const text = log()
      .map((line) => `${line}\n`)
      .join("");
    return {
      ...{ status: 200, headers: {} },
      body: (async function* () {
        yield Buffer.from(text);
      })(),
    };
  };
}

/** Submits an application. @throws Error if it is not accepted */
export async function submitTo(
  { applications }: Pick<DashboardGateway, "applications">,
  changes: { name?: string; queue?: string; owner?: string; settings?: Readonly<Record<string, string>> } = {},
): Promise<ApplicationRecord> {
  const { settings = {}, ...named } = changes;
  const submission = {
    fields: { mainClass: "Main" },
    ...{ settings, resource: "local:///opt/app.jar", appArgs: [], templates: {} },
  };
  const result = await applications.submit({ protocol: "api", submission, ...named });
  if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
  return result.application.record;
}
