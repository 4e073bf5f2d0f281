import type { Server } from "node:https";
import type { Host } from "../host/host.ts";
import { printKubeconfig } from "../kube/print-kubeconfig.ts";
import type { Transport } from "../kube/transport.ts";
import { createTokens, type Tokens } from "./api/access/tokens.ts";
import { serviceAddresses } from "./api/kinds/addresses.ts";
import { createMemoryStore } from "./api/memory-store.ts";
import { type Api, createApi } from "./api/server.ts";
import type { Store } from "./api/store.ts";
import type { ApiScope } from "./api/verbs/call.ts";
import { type Certificate, createServerCertificate } from "./certificates/certificate.ts";
import { type Chaos, withChaos } from "./chaos/chaos.ts";
import { chaosEndpoint } from "./chaos/chaos-endpoint.ts";
import { type ChaosRules, chaosRules } from "./chaos/chaos-rules.ts";
import { failingPulls } from "./chaos/failing-pulls.ts";
import { type SteppedClock, steppedClock } from "./chaos/stepped-clock.ts";
import { type ClusterIdentity, newIdentity, readIdentity, writeIdentity } from "./cluster-identity.ts";
import type { ClusterOptions } from "./cluster-options.ts";
import { createFirstObjects } from "./controllers/bootstrap.ts";
import { moveServices } from "./controllers/move-services.ts";
import { startControllers } from "./controllers/start-controllers.ts";
import { eventRecorder } from "./events/event-recorder.ts";
import { loadedImagesDirectory } from "./images/loaded/manage-images.ts";
import { localImages } from "./images/local-images.ts";
import { openJournal } from "./journal/journal.ts";
import { type Node, startNode } from "./pods/node.ts";
import { createHttpsServer, setCertificate } from "./serve/https-server.ts";
import { type Listening, listen, tryListen } from "./serve/listen.ts";

/** A running embedded cluster. */
export interface EmbeddedCluster {
  /** E.g. `https://127.90.0.1:40123`; what pods and clients use. */
  readonly url: string;
  /** The API without a socket, as the administrator. */
  readonly transport: Transport;
  /** PEM of the authority that signed the server's certificate. */
  readonly certificateAuthority: string;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** YAML. */
  readonly kubeconfig: string;
  /** Which sandbox runs pods. */
  readonly sandbox: string;
  /** Makes things go wrong, for tests of what should go on all the same. */
  readonly chaos: Chaos;
  /** What its user should know: what was found amiss and mended, why pods are not isolated; a text each. */
  readonly notices: readonly string[];
  /** Ends all pods, then the server. */
  readonly stop: () => Promise<void>;
}

/** Where drivers of Apache's own client look for the API: `https://kubernetes.default.svc`. */
const driversPort = 443;

/**
 * Starts an embedded cluster in this process: store, API, controllers and, unless only the API is wanted, a node that runs pods.
 *
 * Listens on a loopback address only. The kubeconfig is also written to `<directory>/kubeconfig`, for its owner's eyes.
 */
export async function startCluster(host: Host, options: ClusterOptions): Promise<EmbeddedCluster> {
  prepareDirectory(host, options.directory);
  const parts: Part[] = [];
  try {
    const clock = steppedClock(host.clock);
    return await assemble({ ...host, clock: clock.clock }, clock, { options, parts });
  } catch (error) {
    // Why it does not start says more than what did not end either.
    await takeApart(parts).catch(() => {});
    throw error;
  }
}

/** How to end a part of the cluster. */
type Part = () => Promise<void> | void;

/** What was started last ends first; one that fails keeps no other from its end. @throws what the first of them threw */
async function takeApart(parts: Part[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of parts.splice(0).toReversed()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function assemble(
  host: Host,
  clock: SteppedClock,
  { options, parts }: { readonly options: ClusterOptions; readonly parts: Part[] },
): Promise<EmbeddedCluster> {
  const { journal, identity } = await takeUp(host, options, parts);
  const { token, authority } = identity;
  const onFailure = (error: unknown) => recordFailure(host, options.directory, error);
  const store = createMemoryStore(host, { journal, onFailure });
  const tokens = createTokens({ ...host, store, adminToken: token, privateKey: identity.accountKey });
  let node: Node | undefined;
  const late = lateApi();
  const server = createHttpsServer(late.transport);
  const place = await listenAgain(server, options, identity);
  parts.push(() => close(server));
  if (options.storage !== undefined) writeIdentity(host, identityPath(options), { ...identity, place });
  if (identity.place !== undefined) moveServices(store, prefixOf(identity.place), prefixOf(place));
  const streams = new Set<() => void>();
  const scope: ApiScope = {
    ...{ ...host, store, tokens, streams, events: eventRecorder(store, host.clock) },
    logs: () => node?.logs,
    sessions: () => node?.sessions,
    addresses: addressesAt(place, store),
  };
  const sound = createApi({
    ...scope,
    scopeFor: () => ({ ...scope, store: store.forRequest() }),
    serverAddress: () => `${place.address}:${place.port}`,
    onFailure,
  });
  const book = chaosRules(host);
  const chaotic = withChaos(sound, { scope, book, clock, node: () => node?.incidents });
  const { chaos } = chaotic;
  const api = chaosEndpoint(chaotic.api, chaos, token);
  parts.push(chaotic.stop);
  const { certificatePem: certificateAuthority } = authority;
  parts.push(startControllers(scope, certificateAuthority));
  createFirstObjects(store, place);
  const names = serverNames(place);
  const certificate = createServerCertificate(host, { authority, name: "firesteel-api", names });
  setCertificate(server, certificate);
  late.open(api);
  const hasDriversPort = await openDriversPort(api, { place, certificate, parts });
  const url = `https://${place.address}:${place.port}`;
  const sparkEnv = hasDriversPort ? {} : (options.withoutDriversPort?.(url) ?? {});
  node = options.apiOnly ? undefined : await runNode(host, options, { store, tokens, place, sparkEnv, book });
  parts.push(() => node?.stop());
  parts.push(() => {
    for (const end of streams) end();
  });
  const kubeconfig = printKubeconfig({ name: "firesteel", url, certificateAuthority, token });
  writePrivately(host, `${options.directory}/kubeconfig`, kubeconfig);
  return {
    ...{ url, certificateAuthority, token, kubeconfig, chaos },
    transport: (request) =>
      api({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
    sandbox: node?.sandboxName ?? "none",
    notices: [...(journal?.notices ?? []), ...(node?.notices ?? [])],
    stop: () => takeApart(parts),
  };
}

/** What an earlier cluster left in the directory, where it is to be kept; else all new. */
async function takeUp(host: Host, options: ClusterOptions, parts: Part[]) {
  const { directory, storage } = options;
  if (storage === undefined) return { journal: undefined, identity: newIdentity(host) };
  const journal = await openJournal({
    ...{ host, ...storage, directory: `${directory}/objects` },
    onFailure: (error) => recordFailure(host, directory, error),
  });
  parts.push(() => journal.close());
  return { journal, identity: readIdentity(host, identityPath(options)) };
}

function identityPath({ directory }: ClusterOptions): string {
  return `${directory}/identity.json`;
}

/** Where the cluster was before, if that is free: its clients know it by that address. */
async function listenAgain(server: Server, options: ClusterOptions, { place }: ClusterIdentity) {
  const isFree = options.address === undefined && options.port === undefined && place !== undefined;
  if (isFree && typeof (await tryListen(server, place)) === "number") return place;
  return await listen(server, options);
}

/** Whether the API can be had on the port that drivers ask by themselves: that needs a privilege that most users lack. */
async function openDriversPort(
  api: Transport,
  { place, certificate, parts }: { place: Listening; certificate: Certificate; parts: Part[] },
): Promise<boolean> {
  const second = createHttpsServer(api);
  setCertificate(second, certificate);
  const opened = await tryListen(second, { address: place.address, port: driversPort });
  if (typeof opened !== "number") return false;
  parts.push(() => close(second));
  return true;
}

function runNode(
  host: Host,
  { directory, sandbox, storage, hostPathRoots, overcommits = true, ...choices }: ClusterOptions,
  cluster: {
    readonly store: Store;
    readonly tokens: Tokens;
    readonly place: Listening;
    readonly sparkEnv: Readonly<Record<string, string>>;
    readonly book: ChaosRules;
  },
): Promise<Node> {
  return startNode({
    ...{ host, directory, sandbox, store: cluster.store, api: cluster.place },
    isKept: storage !== undefined,
    overcommits,
    ...(hostPathRoots === undefined ? {} : { hostPathRoots }),
    images: failingPulls(
      localImages({
        ...choices,
        ...{ host, directory: `${directory}/images`, sparkEnv: cluster.sparkEnv },
        loadedImages: loadedImagesDirectory(host),
      }),
      cluster.book,
    ),
    issueToken: ({ pod, ...wish }) =>
      cluster.tokens.issue({ ...wish, boundTo: { kind: "pod", ...pod } })?.token,
  });
}

function prepareDirectory({ files }: Host, directory: string): void {
  files.makeDirectory(directory, { mode: 0o700 });
  files.changeMode(directory, 0o700);
}

function writePrivately({ files }: Host, path: string, content: string): void {
  files.remove(path);
  files.write(path, content, { mode: 0o600 });
}

function recordFailure({ files, clock }: Host, directory: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    files.append(`${directory}/api.log`, `${new Date(clock.now()).toISOString()} ${text}\n`);
  } catch {
    // The disk is full; that is told to those whose requests it stops.
  }
}

/** The server must listen before the API can say where it is. */
function lateApi(): { readonly transport: Api; readonly open: (api: Api) => void } {
  let opened = (_: Api) => {};
  const ready = new Promise<Api>((resolve) => {
    opened = resolve;
  });
  return { transport: async (request) => (await ready)(request), open: (api) => opened(api) };
}

/** Services get the upper end of the cluster's /24. */
function addressesAt(place: Listening, store: Store) {
  const prefix = prefixOf(place);
  return serviceAddresses(store, { first: `${prefix}200`, last: `${prefix}254` });
}

function prefixOf({ address }: Listening): string {
  return address.slice(0, address.lastIndexOf(".") + 1);
}

function serverNames({ address }: Listening): readonly string[] {
  const service = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  return [...new Set(["localhost", ...service, "127.0.0.1", address])];
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
