import type { Server } from "node:https";
import type { Host } from "../host/host.ts";
import type { Transport } from "../kube/transport.ts";
import { createTokens, type Tokens } from "./api/access/tokens.ts";
import { serviceAddresses } from "./api/kinds/addresses.ts";
import { createMemoryStore } from "./api/memory-store.ts";
import type { PodLogs } from "./api/pod-logs.ts";
import { createApi } from "./api/server.ts";
import type { Store } from "./api/store.ts";
import type { ApiScope } from "./api/verbs/call.ts";
import { createAuthority, createServerCertificate, newPrivateKey } from "./certificates/certificate.ts";
import type { ClusterOptions } from "./cluster-options.ts";
import { createFirstObjects } from "./controllers/bootstrap.ts";
import { startControllers } from "./controllers/start-controllers.ts";
import { localImages } from "./images/local-images.ts";
import { printKubeconfig } from "./kubeconfig.ts";
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
    return await assemble(host, options, parts);
  } catch (error) {
    await takeApart(parts);
    throw error;
  }
}

/** How to end a part of the cluster. */
type Part = () => Promise<void> | void;

/** What was started last ends first. */
async function takeApart(parts: Part[]): Promise<void> {
  for (const end of parts.splice(0).toReversed()) await end();
}

async function assemble(host: Host, options: ClusterOptions, parts: Part[]): Promise<EmbeddedCluster> {
  const store = createMemoryStore(host);
  const token = Buffer.from(host.random.bytes(32)).toString("base64url");
  const tokens = createTokens({ ...host, store, adminToken: token, privateKey: newPrivateKey() });
  let logs: PodLogs | undefined;
  const late = lateApi();
  const server = createHttpsServer(late.transport);
  const place = await listen(server, options);
  parts.push(() => close(server));
  const streams = new Set<() => void>();
  const scope: ApiScope = {
    ...host,
    store,
    tokens,
    streams,
    logs: () => logs,
    addresses: addressesAt(place, store),
  };
  const api = createApi({
    ...scope,
    serverAddress: () => `${place.address}:${place.port}`,
    onFailure: (error) => recordFailure(host, options.directory, error),
  });
  const authority = createAuthority(host, "firesteel");
  const { certificatePem: certificateAuthority } = authority;
  parts.push(startControllers(scope, certificateAuthority));
  createFirstObjects(store, place);
  const certificate = createServerCertificate(host, {
    authority,
    name: "firesteel-api",
    names: serverNames(place),
  });
  setCertificate(server, certificate);
  late.open(api);
  const second = createHttpsServer(api);
  setCertificate(second, certificate);
  // Needs a privilege that most users lack; without it, drivers are told the other port.
  const opened = await tryListen(second, { address: place.address, port: driversPort });
  if (typeof opened === "number") parts.push(() => close(second));
  const url = `https://${place.address}:${place.port}`;
  const sparkEnv = typeof opened === "number" ? {} : (options.withoutDriversPort?.(url) ?? {});
  const node = options.apiOnly ? undefined : await runNode(host, options, { store, tokens, place, sparkEnv });
  parts.push(() => node?.stop());
  logs = node?.logs;
  parts.push(() => {
    for (const end of streams) end();
  });
  const kubeconfig = printKubeconfig({ name: "firesteel", url, certificateAuthority, token });
  writePrivately(host, `${options.directory}/kubeconfig`, kubeconfig);
  return {
    url,
    transport: (request) =>
      api({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
    certificateAuthority,
    token,
    kubeconfig,
    sandbox: node?.sandboxName ?? "none",
    stop: () => takeApart(parts),
  };
}

function runNode(
  host: Host,
  { directory, sandbox, ...choices }: ClusterOptions,
  cluster: {
    readonly store: Store;
    readonly tokens: Tokens;
    readonly place: Listening;
    readonly sparkEnv: Readonly<Record<string, string>>;
  },
): Promise<Node> {
  return startNode({
    ...{ host, directory, sandbox, store: cluster.store, api: cluster.place },
    images: localImages({
      ...choices,
      ...{ host, directory: `${directory}/images`, sparkEnv: cluster.sparkEnv },
    }),
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
  files.append(`${directory}/api.log`, `${new Date(clock.now()).toISOString()} ${text}\n`);
}

/** The server must listen before the API can say where it is. */
function lateApi(): { readonly transport: Transport; readonly open: (api: Transport) => void } {
  let opened = (_: Transport) => {};
  const ready = new Promise<Transport>((resolve) => {
    opened = resolve;
  });
  return { transport: async (request) => (await ready)(request), open: (api) => opened(api) };
}

/** Services get the upper end of the cluster's /24. */
function addressesAt({ address }: Listening, store: Store) {
  const prefix = address.slice(0, address.lastIndexOf(".") + 1);
  return serviceAddresses(store, { first: `${prefix}200`, last: `${prefix}254` });
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
