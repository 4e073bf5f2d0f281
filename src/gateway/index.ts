import { messageOf, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { openHttpServer } from "../http/serve.ts";
import { serverLog } from "../http/server-log.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { applicationEvents } from "../masters/kubernetes/applications/application-events.ts";
import { observeDriver } from "../masters/kubernetes/diagnose-driver.ts";
import type { OpenEmbedded } from "../resolve/destination.ts";
import { apiHandler } from "./api/api-handler.ts";
import type { GatewayApplication } from "./applications/application.ts";
import { openApplications } from "./applications/open-applications.ts";
import { readDashboard } from "./dashboard/read-dashboard.ts";
import { serveDashboard } from "./dashboard/serve-dashboard.ts";
import type { Authenticate } from "./http/authenticate.ts";
import { gatewayListener } from "./http/serve-gateway.ts";
import { serviceHandler, unknownPaths } from "./http/service-handler.ts";
import { podLogs } from "./logs/pod-logs.ts";
import { fairQueue } from "./queue/fair-queue.ts";
import { noRules } from "./queue/queue-rules.ts";
import { startUsageHistory } from "./queue/usage-history.ts";
import { secretStore } from "./records/secret-store.ts";
import type { GatewaySettings } from "./settings.ts";
import { explainDriver } from "./submit/explain-driver.ts";

/** A running gateway. */
export interface Gateway {
  readonly port: number;
  /** Accepts no new requests, and waits for running ones and for submissions. Drivers continue. */
  readonly stop: () => Promise<void>;
}

/** Dependencies of a gateway. */
export interface GatewayCall {
  readonly host: Host;
  /** Client of the cluster in which applications run. */
  readonly client: KubeClient;
  /** Value of `--master` for this cluster. */
  readonly master: string;
  /** Opens the cluster again for each submission, if it is the embedded one. */
  readonly openEmbedded?: OpenEmbedded | undefined;
  readonly settings: GatewaySettings;
  readonly authenticate: Authenticate;
  /** Directory with the built files of the dashboard. */
  readonly dashboardDirectory: string;
}

/** Starts a gateway. @throws SubmitError `SUBMIT_ERR_GATEWAY_START`, and if the records cannot be read */
export async function openGateway(call: GatewayCall): Promise<Gateway> {
  const { host, client, master, settings, authenticate, openEmbedded } = call;
  const log = serverLog(host);
  const { name: gateway, limits, namespace, namespaces } = settings;
  const store = secretStore({
    ...{ client, namespace: settings.ownNamespace, gateway },
    onUnreadable: (record, reason) => log("ERROR", "A record cannot be read, and is ignored.", { record, reason }),
  });
  const defaults = { master, settings: settings.defaults, user: settings.user, gateway };
  const queue = fairQueue(noRules, () => undefined);
  const usage = startUsageHistory(host.clock, queue);
  const applications = await openApplications({
    ...{ host, client, openEmbedded, log, store, namespace, namespaces, logs: podLogs(client), defaults, queue },
    maxConcurrent: limits.maxConcurrentSubmissions,
    diagnose: (pod) => diagnose({ host, client }, pod),
  });
  let isStopping = false;
  const unreadyReasons = () => [
    ...(isStopping ? ["The gateway is stopping."] : []),
    ...(applications.isSynced() ? [] : ["The pods of the cluster are not known yet."]),
  ];
  try {
    const server = await openHttpServer({
      ...{ address: settings.address, port: settings.port, tls: settings.tls, clock: host.clock },
      healthPaths: ["/healthz", "/readyz"].map((path) => `${settings.prefix}${path}`),
      onOverload: (count) =>
        log("WARN", "All connections are in use, so the gateway closes or rejects some.", { count }),
      respond: gatewayListener({
        ...{ clock: host.clock, log, authenticate, prefix: settings.prefix, maxBodyBytes: limits.maxBodyBytes },
        handlers: [
          apiHandler({
            ...{ host, applications, events: (application) => eventsOf(client, application) },
            explain: ({ record }) => explainDriver({ host, client, defaults, openEmbedded }, record),
            diagnose: (application) => diagnoseApplication({ host, client }, application),
            queues: { usage: queue.usage, samples: usage.samples },
          }),
          serveDashboard(readDashboard(host.files, call.dashboardDirectory), settings.prefix),
          serviceHandler({ unreadyReasons, metrics: async () => ({ type: "text/plain", text: "" }) }),
        ],
        fallback: unknownPaths,
      }),
    });
    log("INFO", "The gateway has started.", { port: server.port, master });
    return {
      port: server.port,
      async stop() {
        isStopping = true;
        usage.stop();
        await server.close(limits.drainMs);
        await applications.close();
        log("INFO", "The gateway has stopped.");
      },
    };
  } catch (error) {
    usage.stop();
    await applications.close();
    throw submitError("SUBMIT_ERR_GATEWAY_START", { reason: messageOf(error) }, { cause: error });
  }
}

/** Reads the events about an application, the oldest first. */
function eventsOf(client: KubeClient, { record }: GatewayApplication) {
  const { namespace, podName: name } = record;
  return applicationEvents(client, { metadata: { namespace, name } });
}

/** Explains why an application makes no progress. */
async function diagnoseApplication(
  call: Pick<GatewayCall, "host" | "client">,
  { record: { namespace, podName: name }, driver }: GatewayApplication,
): Promise<string | undefined> {
  return driver === undefined ? undefined : diagnose(call, { metadata: { namespace, name } });
}

/** Explains why a driver has failed, in sentences for people. */
async function diagnose(
  { host, client }: Pick<GatewayCall, "host" | "client">,
  { metadata }: Pod,
): Promise<string | undefined> {
  const { namespace = "", name = "" } = metadata ?? {};
  const pod = await client.get<Pod>({ type: resourceTypes.pod, namespace, name });
  const { clock, random } = host;
  const diagnosis = await observeDriver({ client, clock, random, log: () => {}, pod });
  return diagnosis === undefined ? undefined : [diagnosis.message, diagnosis.nextStep].join(" ");
}
