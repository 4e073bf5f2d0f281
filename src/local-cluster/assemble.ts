import type { Server } from "node:https";
import type { Host } from "../host/host.ts";
import { replaceFile } from "../host/replace-file.ts";
import { printKubeconfig } from "../kube/print-kubeconfig.ts";
import { createTokens, type Tokens } from "./api/access/tokens.ts";
import { createWebhookClient } from "./api/admission/webhooks/client/https-webhook-client.ts";
import type { ApiScope } from "./api/call.ts";
import { serviceAddresses } from "./api/kinds/addresses.ts";
import { createMemoryStore, type MemoryStore } from "./api/memory-store.ts";
import { serveKinds } from "./api/served-kinds.ts";
import { type Api, createApi } from "./api/server.ts";
import { type Certificate, createServerCertificate } from "./certificates/certificate.ts";
import { type Chaos, withChaos } from "./chaos/chaos.ts";
import { chaosEndpoint } from "./chaos/chaos-endpoint.ts";
import { type ChaosRules, chaosRules } from "./chaos/chaos-rules.ts";
import { failingPulls } from "./chaos/failing-pulls.ts";
import type { SteppedClock } from "./chaos/stepped-clock.ts";
import { type ClusterIdentity, newIdentity, readIdentity, writeIdentity } from "./cluster-identity.ts";
import type { ClusterOptions } from "./cluster-options.ts";
import { createInitialObjects } from "./controllers/bootstrap.ts";
import { deleteObject } from "./controllers/controller.ts";
import { moveServices } from "./controllers/move-services.ts";
import { startScheduler } from "./controllers/scheduling/scheduler.ts";
import { startControllers } from "./controllers/start-controllers.ts";
import type { EmbeddedCluster } from "./embedded-cluster.ts";
import { eventRecorder } from "./events/event-recorder.ts";
import { loadedImagesDirectory } from "./images/loaded/manage-images.ts";
import { localImages } from "./images/local-images.ts";
import { openJournal } from "./journal/journal.ts";
import type { Isolation } from "./pods/isolation.ts";
import { type Node, startNode } from "./pods/node.ts";
import type { StoredPod } from "./pods/stored-object.ts";
import { createHttpsServer, setCertificate } from "./serve/https-server.ts";
import { type Listening, listen, tryListen } from "./serve/listen.ts";
import { serviceRanges } from "./service-ranges.ts";
import { type StopPart, stopParts } from "./stop-parts.ts";

/** Port at which drivers of Apache's own client expect the API: `https://kubernetes.default.svc`. */
const driversPort = 443;

/** Inputs of all parts of a starting cluster. */
export interface Assembly {
  /** Its clock is `clock`. */
  readonly host: Host;
  readonly clock: SteppedClock;
  readonly options: ClusterOptions;
  /** `undefined` without a node. */
  readonly isolation: Isolation | undefined;
  /** Parts that have started. */
  readonly parts: StopPart[];
}

/** The part of a cluster that serves requests. */
interface ApiPart {
  readonly scope: ApiScope;
  readonly store: MemoryStore;
  readonly tokens: Tokens;
  readonly rules: ChaosRules;
  /** The API behind fault injection and its endpoint. */
  readonly api: Api;
  readonly chaos: Chaos;
  /** Node whose logs, sessions and incidents the API uses; set when it runs. */
  node: Node | undefined;
}

/** Starts the parts of a cluster. Their caller stops them if one fails. */
export async function assemble(assembly: Assembly): Promise<EmbeddedCluster> {
  const { host, options, isolation, parts } = assembly;
  const { journal, identity, notices } = await openState(assembly);
  const { token, authority } = identity;
  const store = createMemoryStore(host, { journal, onFailure: failureLog(assembly) });
  const pending = pendingApi();
  const server = createHttpsServer(pending.transport, serverOptions(assembly));
  const listening = await listenAgain(server, options, identity);
  parts.push(() => close(server));
  void isolation?.openNetwork(listening.address);
  if (options.storage !== undefined) writeIdentity(host, identityPath(options), { ...identity, listening });
  if (identity.listening !== undefined) moveServices(store, identity.listening.address, listening.address);
  const part = startApi(assembly, { store, identity, listening });
  const { certificatePem: certificateAuthority } = authority;
  parts.push(startControllers(part.scope, authority));
  createInitialObjects(part.scope, listening);
  const names = serverNames(listening);
  const certificate = createServerCertificate(host, { authority, name: "firesteel-api", names });
  setCertificate(server, certificate, authority);
  pending.open(part.api);
  const hasDriversPort = await openDriversPort(assembly, { api: part.api, listening, certificate, authority });
  const url = `https://${listening.address}:${listening.port}`;
  const sparkEnv = hasDriversPort ? {} : (options.withoutDriversPort?.(url) ?? {});
  if (isolation !== undefined) part.node = await runNode(assembly, part, { isolation, listening, sparkEnv, server });
  parts.push(() => {
    for (const end of part.scope.streams) end();
  });
  const kubeconfig = printKubeconfig({ name: "firesteel", url, certificateAuthority, token });
  const kubeconfigPath = `${options.directory}/kubeconfig`;
  replaceFile(host, kubeconfigPath, kubeconfig, { mode: 0o600 });
  return {
    ...{ url, certificateAuthority, token, kubeconfig, chaos: part.chaos },
    transport: ({ repeatedHeaders = {}, ...request }) => {
      // As a server receives headers that are sent several times.
      const joined = Object.entries(repeatedHeaders).map(([name, values]) => [name, values.join(", ")]);
      const headers = { ...request.headers, ...Object.fromEntries(joined), authorization: `Bearer ${token}` };
      return part.api({ ...request, headers });
    },
    sandbox: part.node?.sandboxName ?? "none",
    network: part.node?.network.name ?? "none",
    machineName: part.node?.network.machineName,
    notices: [...notices, ...(part.node?.notices ?? [])],
    stop: () => stopParts(parts),
  };
}

/** Restores the state of an earlier cluster if it is stored; otherwise creates a new one. */
async function openState(assembly: Assembly) {
  const { host, options, parts } = assembly;
  const { directory, storage } = options;
  if (storage === undefined) return { journal: undefined, identity: newIdentity(host), notices: [] };
  const journal = await openJournal({
    ...{ host, ...storage, directory: `${directory}/objects` },
    isNew: ["identity.json", "kubeconfig"].every((name) => host.files.info(`${directory}/${name}`) === undefined),
    onFailure: failureLog(assembly),
  });
  parts.push(() => journal.close());
  const { identity, notices } = readIdentity(host, identityPath(options), storage);
  return { journal, identity, notices: [...journal.notices, ...notices] };
}

function identityPath({ directory }: ClusterOptions): string {
  return `${directory}/identity.json`;
}

/** Listens on the earlier cluster's address if it is free, because its clients know that address. */
async function listenAgain(server: Server, options: ClusterOptions, { listening }: ClusterIdentity) {
  const canReuse = options.address === undefined && options.port === undefined && listening !== undefined;
  if (canReuse && typeof (await tryListen(server, listening)) === "number") return listening;
  return await listen(server, options);
}

/** Creates the API with fault injection. */
function startApi(
  assembly: Assembly,
  { store, identity, listening }: { store: MemoryStore; identity: ClusterIdentity; listening: Listening },
): ApiPart {
  const { token, accountKey } = identity;
  const { host, clock, parts } = assembly;
  const tokens = createTokens({ ...host, store, adminToken: token, privateKey: accountKey });
  const sessions = () => part.node?.sessions;
  const webhooks = createWebhookClient({ ...host, store, sessions });
  parts.push(() => webhooks.close());
  const scope: ApiScope = {
    ...{
      ...host,
      store,
      kinds: serveKinds(store),
      tokens,
      streams: new Set(),
      events: eventRecorder(store, host.clock),
    },
    logs: () => part.node?.logs,
    ...{ sessions, webhooks },
    addresses: serviceAddresses(store, serviceRanges(listening.address)),
  };
  const baseApi = createApi({
    ...scope,
    scopeFor: () => ({ ...scope, store: store.forRequest() }),
    serverAddress: () => `${listening.address}:${listening.port}`,
    onFailure: failureLog(assembly),
  });
  const rules = chaosRules(host);
  const chaotic = withChaos(baseApi, { scope, rules, clock, node: () => part.node?.incidents });
  parts.push(chaotic.stop);
  const api = chaosEndpoint(chaotic.api, chaotic.chaos, token);
  const part: ApiPart = { scope, store, tokens, rules, chaos: chaotic.chaos, api, node: undefined };
  return part;
}

interface DriversPort {
  readonly api: Api;
  readonly listening: Listening;
  readonly certificate: Certificate;
  readonly authority: Certificate;
}

/** Opens the port that drivers use by default. @returns false if the user lacks the required privilege */
async function openDriversPort(
  assembly: Assembly,
  { api, listening, certificate, authority }: DriversPort,
): Promise<boolean> {
  const second = createHttpsServer(api, serverOptions(assembly));
  setCertificate(second, certificate, authority);
  const opened = await tryListen(second, { address: listening.address, port: driversPort });
  if (typeof opened !== "number") return false;
  assembly.parts.push(() => close(second));
  return true;
}

function serverOptions(assembly: Assembly) {
  const { clock } = assembly.host;
  const report = failureLog(assembly);
  const onOverload = (count: number) =>
    report(`All connections are in use, so the API has closed or rejected ${count}.`);
  return { clock, onOverload };
}

interface NodeInputs {
  readonly isolation: Isolation;
  readonly listening: Listening;
  readonly sparkEnv: Readonly<Record<string, string>>;
  /** Server of the API, which also serves connections from the pods' network. */
  readonly server: Server;
}

/** Starts the node and the scheduler that binds pods to it. */
async function runNode(
  { host, options, parts }: Assembly,
  { scope, store, tokens, rules }: ApiPart,
  { isolation, listening, sparkEnv, server }: NodeInputs,
): Promise<Node> {
  const { directory, storage, hostPathRoots, overcommits = true, hasShuffleService = false, ...sources } = options;
  const images = localImages({
    ...{ ...sources, host, directory: `${directory}/images`, sparkEnv },
    loadedImages: loadedImagesDirectory(host),
  });
  const node = await startNode({
    ...{ host, directory, isolation, store, api: listening, hasShuffleService },
    serveConnection: (socket) => server.emit("connection", socket),
    isKept: storage !== undefined,
    ...(hostPathRoots === undefined ? {} : { hostPathRoots }),
    images: failingPulls(images, rules),
    issueToken: ({ pod, ...request }) => tokens.issue({ ...request, boundTo: { kind: "pod", ...pod } })?.token,
  });
  parts.push(() => node.stop());
  const deletePod = (pod: StoredPod) => deleteObject(scope, "pods", pod);
  parts.push(startScheduler({ host, store, events: node.events, overcommits, deletePod }));
  return node;
}

/** Returns a function that appends internal errors to `<directory>/api.log`. */
function failureLog({ host: { files, clock }, options: { directory } }: Assembly): (error: unknown) => void {
  return (error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    try {
      files.append(`${directory}/api.log`, `${new Date(clock.now()).toISOString()} ${text}\n`);
    } catch {
      // The disk is full, which the API reports to clients whose writes fail.
    }
  };
}

/** Creates a transport that waits for the API, because the API needs the server's address. */
function pendingApi(): { readonly transport: Api; readonly open: (api: Api) => void } {
  let opened = (_: Api) => {};
  const ready = new Promise<Api>((resolve) => {
    opened = resolve;
  });
  return { transport: async (request) => (await ready)(request), open: (api) => opened(api) };
}

function serverNames({ address }: Listening): readonly string[] {
  const service = ["", ".default", ".default.svc", ".default.svc.cluster.local"].map((suffix) => `kubernetes${suffix}`);
  return [...new Set(["localhost", ...service, "127.0.0.1", address])];
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
