import { defaultFileSystemKey } from "../conf/entries/livy.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { Host } from "../host/host.ts";
import { limitLog, type ServerLog } from "../http/server-log.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { applicationEvents } from "../masters/kubernetes/diagnose/application-events.ts";
import { observeDriver } from "../masters/kubernetes/diagnose-driver.ts";
import type { OpenEmbedded } from "../resolve/destination.ts";
import type { HistoryServer } from "../spark/history-server.ts";
import { auditApplications } from "./access/audit-applications.ts";
import { auditSchedules } from "./access/audit-schedules.ts";
import { apiProtocol } from "./api/api-protocol.ts";
import { schedulesProtocol } from "./api/schedules-protocol.ts";
import { openApplications } from "./applications/open-applications.ts";
import { defaultRetryPolicy } from "./applications/retry-policy.ts";
import { dashboardProtocol } from "./dashboard/dashboard-protocol.ts";
import { readDashboard } from "./dashboard/read-dashboard.ts";
import { superviseHistoryServer } from "./history/supervise-history-server.ts";
import type { HttpProtocol } from "./http/gateway-request.ts";
import { publicUrl } from "./http/public-url.ts";
import { livyProtocol } from "./livy/livy-protocol.ts";
import { permitProxyUsers, proxyUserIssues } from "./livy/permit-proxy-users.ts";
import { type KeptLogs, keptLogs } from "./logs/kept-logs.ts";
import { logStore } from "./logs/log-store.ts";
import { podLogs } from "./logs/pod-logs.ts";
import { type GatewayMetrics, gatewayMetrics } from "./metrics.ts";
import type { GatewayApplication } from "./model/application.ts";
import type { Applications } from "./model/applications.ts";
import { logoutPath } from "./oidc/login-protocol.ts";
import { clusterCapacities } from "./queue/cluster-capacities.ts";
import { fairQueue } from "./queue/fair-queue.ts";
import { schedulersOf } from "./queue/queue-rules.ts";
import { startUsageHistory } from "./queue/usage-history.ts";
import type { RecordStores } from "./records/record-store.ts";
import { openSchedules } from "./schedules/open-schedules.ts";
import { openSealedValues } from "./secrets/sealed-values.ts";
import type { GatewaySettings } from "./settings.ts";
import { standaloneProtocol } from "./standalone/standalone-protocol.ts";
import { explainDriver } from "./submit/explain-driver.ts";
import { submitterProtocol } from "./submitter/submitter-protocol.ts";
import type { Tracing } from "./tracing/tracing.ts";
import { uiAddresses } from "./ui/ui-addresses.ts";
import { uiEntryProtocol } from "./ui/ui-entry-protocol.ts";
import { type LinksOf, type SourceOf, uiLinks, uiSource } from "./ui/ui-links.ts";
import { uiPageProtocol } from "./ui/ui-page-protocol.ts";
import { uiProtocol } from "./ui/ui-protocol.ts";
import { uiTickets } from "./ui/ui-tickets.ts";
import { openWebhooks } from "./webhooks/open-webhooks.ts";

/** Dependencies of the protocols of a gateway. */
export interface ProtocolsCall {
  readonly host: Host;
  /** Client of the cluster in which applications run. */
  readonly client: KubeClient;
  /** Value of `--master` for this cluster. */
  readonly master: string;
  /** Opens the cluster again for each submission, if it is the embedded one. */
  readonly openEmbedded?: OpenEmbedded | undefined;
  readonly settings: GatewaySettings;
  /** All settings of the gateway, with the credentials of the store of logs. */
  readonly conf: SparkConf;
  /** History server over the event logs of the applications. @default none is started */
  readonly history?: HistoryServer | undefined;
  /** Directory with the built files of the dashboard. */
  readonly dashboardDirectory: string;
}

/** Call with the ports of the servers, which are known once they listen. */
interface OpenCall extends ProtocolsCall {
  readonly ports: { readonly gateway: number; readonly ui: number };
  readonly tracing: Tracing;
  /** Ends the history server, which a Ctrl+C also reaches, before the gateway has responded to its clients. */
  readonly signal: AbortSignal;
  readonly stores: RecordStores;
}

/** Protocols that serve the applications of a gateway. */
export interface OpenProtocols {
  readonly protocols: readonly HttpProtocol[];
  /** The protocol of standalone masters, which can have a port of its own. */
  readonly standalone: HttpProtocol;
  /** Pages of the Spark UIs on a port of their own. */
  readonly uiPages: readonly HttpProtocol[];
  readonly metrics: GatewayMetrics;
  /** Whether all drivers in the cluster are known. */
  readonly isSynced: () => boolean;
  readonly close: () => Promise<void>;
}

/** Opens the applications of a gateway and their protocols. @throws SubmitError if the records cannot be read */
export async function openProtocols(call: OpenCall, log: ServerLog): Promise<OpenProtocols> {
  const { host, client, master, settings, openEmbedded } = call;
  const { name: gateway, limits, namespace, namespaces } = settings;
  const ending = new AbortController();
  let wake = () => {};
  const capacities = clusterCapacities({
    ...{ client, clock: host.clock, log: limitLog(log, host.clock), namespaces: namespaces ?? [namespace] },
    ...{ usesNodes: settings.queues.usesNodes, signal: ending.signal, onChange: () => wake() },
  });
  const queue = fairQueue(settings.queues, capacities);
  const schedulers = schedulersOf(settings.queues);
  const defaults = { master, settings: settings.defaults, user: settings.user, gateway, schedulers };
  const kept = openKeptLogs(call, log);
  const { root, apiRoot } = publicUrl(settings);
  // A page of a driver could act as its reader, so it has another origin, unless all clients have the same permissions.
  const servesUi = settings.ui !== undefined || settings.authentication.kind === "none";
  const sourceOf = uiSource({ servesUi, hasHistory: call.history !== undefined });
  const links = uiLinks({ uiRoot: root, sourceOf, historyServer: settings.historyServer });
  const webhooks = openWebhooks({
    ...{ host, webhooks: settings.webhooks, log: limitLog(log, host.clock), links },
    gateway: `${settings.ownNamespace}/${gateway}`,
  });
  const applications = await openApplications({
    ...{ host, client, openEmbedded, log, namespace, namespaces, defaults, queue },
    logs: podLogs(client, kept && { kept, clock: host.clock }),
    isImpersonating: settings.isImpersonating,
    store: call.stores.applications,
    retention: settings.retention,
    retries: defaultRetryPolicy,
    maxConcurrent: limits.maxConcurrentSubmissions,
    diagnose: (pod) => diagnose(call, pod),
    receivers: webhooks.ends,
    tracing: call.tracing,
  });
  webhooks.follow(applications);
  const audited = auditApplications(permitProxyUsers(applications, settings.livy), log);
  const schedules = await openSchedules({
    ...{ host, log, store: call.stores.schedules, tracing: call.tracing },
    applications: { ...applications, submit: audited.submit },
    check: async (application) => [
      ...proxyUserIssues(application, settings.livy),
      ...(await applications.check(application)),
    ],
  });
  wake = applications.wake;
  const usage = startUsageHistory(host.clock, queue);
  const history = call.history && superviseHistoryServer(host, call.history, { log, signal: call.signal });
  const historyPort = () => history?.port();
  const ui = servesUi ? openUi(call, { applications, links, sourceOf, historyPort, log }) : { entry: [], pages: [] };
  const { version, tokenKey } = settings.standalone;
  const isReady = applications.isSynced;
  const standalone = standaloneProtocol({ applications: audited, clock: host.clock, version, tokenKey, isReady });
  return {
    protocols: [
      apiProtocol({
        ...{ host, applications: audited, events: (application) => eventsOf(client, application) },
        explain: ({ record }) => explainDriver({ host, client, defaults, openEmbedded }, record),
        diagnose: (application) => diagnoseApplication(call, application),
        ...{
          links,
          root: apiRoot,
          logoutUrl: settings.authentication.kind === "oidc" ? `${root}${logoutPath}` : undefined,
        },
        queues: { usage: queue.usage, samples: usage.samples },
      }),
      schedulesProtocol({ schedules: auditSchedules(schedules, log), namespace, root: apiRoot }),
      dashboardProtocol(readDashboard(host.files, call.dashboardDirectory), root),
      ...ui.entry,
      standalone,
      submitterProtocol({ applications: audited, clock: host.clock, line: version.line }),
      livyProtocol({
        ...{ applications: audited, links, settings: settings.livy, random: host.random, apiRoot },
        uiRoot: settings.ui === undefined ? root : undefined,
        rules: {
          ...{ rejectedSettings: settings.livy.rejectedSettings, namespaces },
          localDirectories: settings.livy.localDirectories,
          defaultFileSystem: settings.defaults[defaultFileSystemKey],
        },
      }),
    ],
    standalone,
    uiPages: ui.pages,
    metrics: gatewayMetrics(applications, queue, { logs: kept?.counts, webhooks: webhooks.counts }),
    isSynced: applications.isSynced,
    async close() {
      ending.abort();
      usage.stop();
      webhooks.close();
      await schedules.close();
      await Promise.all([applications.close().then(() => kept?.close()), history?.ended]);
    },
  };
}

interface OpenUiScope {
  readonly applications: Applications;
  readonly links: LinksOf;
  readonly sourceOf: SourceOf;
  readonly historyPort: () => number | undefined;
  readonly log: ServerLog;
}

/** Serves the Spark UIs: on the port of the gateway, or on one of their own, to which the gateway leads. */
function openUi(
  { client, host, settings, ports }: OpenCall,
  { log, ...uis }: OpenUiScope,
): { readonly entry: readonly HttpProtocol[]; readonly pages: readonly HttpProtocol[] } {
  const { clock } = host;
  const address = publicUrl(settings);
  if (settings.ui === undefined)
    return { entry: [uiProtocol({ client, clock, ...uis, root: address.root })], pages: [] };
  const tickets = uiTickets(openSealedValues(host, settings.sessionKeyFile));
  const isExternal = settings.externalUrl !== undefined;
  const addresses = uiAddresses({ publicUrl: address, isExternal, uiUrl: settings.ui.url, ports: () => ports });
  const scope = { client, clock, ...uis, tickets, addresses, log };
  return { entry: [uiEntryProtocol(scope)], pages: [uiPageProtocol(scope)] };
}

/** Opens the store of logs; `undefined` if the gateway keeps none. */
function openKeptLogs({ host, settings, conf }: ProtocolsCall, log: ServerLog): KeptLogs | undefined {
  const { logs: location, ownNamespace, name } = settings;
  if (location === undefined) return undefined;
  return keptLogs({ host, store: logStore(host, location, { conf }), log, directory: `${ownNamespace}/${name}` });
}

/** Reads the events about an application, the oldest first. */
function eventsOf(client: KubeClient, { record }: GatewayApplication) {
  const { namespace, podName: name } = record;
  return applicationEvents(client, { metadata: { namespace, name } });
}

/** Explains why an application makes no progress. */
async function diagnoseApplication(
  call: Pick<ProtocolsCall, "host" | "client">,
  { record: { namespace, podName: name }, driver }: GatewayApplication,
): Promise<string | undefined> {
  return driver === undefined ? undefined : diagnose(call, { metadata: { namespace, name } });
}

/** Explains why a driver has failed, in sentences for people. */
async function diagnose(
  { host, client }: Pick<ProtocolsCall, "host" | "client">,
  { metadata }: Pod,
): Promise<string | undefined> {
  const { namespace = "", name = "" } = metadata ?? {};
  const pod = await client.get<Pod>({ type: resourceTypes.pod, namespace, name });
  const { clock, random } = host;
  const diagnosis = await observeDriver({ client, clock, random, log: () => {}, pod });
  return diagnosis === undefined ? undefined : [diagnosis.message, diagnosis.nextStep].join(" ");
}
