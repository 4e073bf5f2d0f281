import { defaultFileSystemKey } from "../conf/entries/livy.ts";
import { messageOf, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { type HttpServer, openHttpServer } from "../http/serve.ts";
import { serverLog } from "../http/server-log.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { applicationEvents } from "../masters/kubernetes/diagnose/application-events.ts";
import { observeDriver } from "../masters/kubernetes/diagnose-driver.ts";
import type { OpenEmbedded } from "../resolve/destination.ts";
import { apiProtocol } from "./api/api-protocol.ts";
import { openApplications } from "./applications/open-applications.ts";
import { defaultRetryPolicy } from "./applications/retry-policy.ts";
import { dashboardProtocol } from "./dashboard/dashboard-protocol.ts";
import { readDashboard } from "./dashboard/read-dashboard.ts";
import { type Authenticate, withoutAuthentication } from "./http/authenticate.ts";
import { gatewayListener } from "./http/serve-gateway.ts";
import { serviceProtocol, unknownPaths } from "./http/service-protocol.ts";
import { livyProtocol } from "./livy/livy-protocol.ts";
import { podLogs } from "./logs/pod-logs.ts";
import type { GatewayApplication } from "./model/application.ts";
import { fairQueue } from "./queue/fair-queue.ts";
import { noRules } from "./queue/queue-rules.ts";
import { startUsageHistory } from "./queue/usage-history.ts";
import { secretStore } from "./records/secret-store.ts";
import type { GatewaySettings } from "./settings.ts";
import { standaloneProtocol } from "./standalone/standalone-protocol.ts";
import { explainDriver } from "./submit/explain-driver.ts";
import { submitterProtocol } from "./submitter/submitter-protocol.ts";

/** A running gateway. */
export interface Gateway {
  readonly port: number;
  /** Port of the standalone protocol, if it has one. */
  readonly restPort: number | undefined;
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
  const queue = fairQueue(noRules, () => []);
  const applications = await openApplications({
    ...{ host, client, openEmbedded, log, store, namespace, namespaces, logs: podLogs(client), defaults, queue },
    retention: settings.retention,
    retries: defaultRetryPolicy,
    maxConcurrent: limits.maxConcurrentSubmissions,
    diagnose: (pod) => diagnose({ host, client }, pod),
  });
  const usage = startUsageHistory(host.clock, queue);
  let isStopping = false;
  const unreadyReasons = () => [
    ...(isStopping ? ["The gateway is stopping."] : []),
    ...(applications.isSynced() ? [] : ["The pods of the cluster are not known yet."]),
  ];
  const servers: HttpServer[] = [];
  const open = async (options: Parameters<typeof openHttpServer>[0]) => {
    const server = await openHttpServer(options);
    servers.push(server);
    return server;
  };
  const close = (drainMs: number) => Promise.all(servers.map((server) => server.close(drainMs)));
  try {
    const { version, tokenKey, listener } = settings.standalone;
    const isReady = () => unreadyReasons().length === 0;
    const standalone = standaloneProtocol({ applications, clock: host.clock, version, tokenKey, isReady });
    const common = { clock: host.clock, log, maxBodyBytes: limits.maxBodyBytes };
    const onOverload = (count: number) =>
      log("WARN", "All connections are in use, so the gateway closes or rejects some.", { count });
    const server = await open({
      ...{ address: settings.address, port: settings.port, tls: settings.tls, clock: host.clock, onOverload },
      healthPaths: ["/healthz", "/readyz"].map((path) => `${settings.prefix}${path}`),
      respond: gatewayListener({
        ...{ ...common, authenticate, prefix: settings.prefix },
        protocols: [
          apiProtocol({
            ...{ host, applications, events: (application) => eventsOf(client, application) },
            explain: ({ record }) => explainDriver({ host, client, defaults, openEmbedded }, record),
            diagnose: (application) => diagnoseApplication({ host, client }, application),
            queues: { usage: queue.usage, samples: usage.samples },
          }),
          dashboardProtocol(
            readDashboard(host.files, call.dashboardDirectory),
            `${settings.livy.uiBasePath}${settings.prefix}`,
          ),
          standalone,
          submitterProtocol({ applications, clock: host.clock, line: version.line }),
          livyProtocol({
            ...{ applications, settings: settings.livy, random: host.random, prefix: settings.prefix },
            rules: {
              ...{ rejectedSettings: settings.livy.rejectedSettings, namespaces },
              localDirectories: settings.livy.localDirectories,
              defaultFileSystem: settings.defaults[defaultFileSystemKey],
            },
          }),
          serviceProtocol({ unreadyReasons, metrics: async () => ({ type: "text/plain", text: "" }) }),
        ],
        fallback: unknownPaths,
      }),
    });
    const restServer =
      listener === undefined
        ? undefined
        : await open({
            ...{ ...listener, clock: host.clock, onOverload, healthPaths: [] },
            respond: gatewayListener({
              ...{ ...common, authenticate: withoutAuthentication, prefix: "", protocols: [], fallback: standalone },
            }),
          });
    log("INFO", "The gateway has started.", { port: server.port, restPort: restServer?.port, master });
    return {
      ...{ port: server.port, restPort: restServer?.port },
      async stop() {
        isStopping = true;
        usage.stop();
        await close(limits.drainMs);
        await applications.close();
        log("INFO", "The gateway has stopped.");
      },
    };
  } catch (error) {
    usage.stop();
    await close(0);
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
