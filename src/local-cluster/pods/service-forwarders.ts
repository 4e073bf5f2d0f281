import type { Socket } from "node:net";
import type { Clock } from "../../host/host.ts";
import type { ServicePort } from "../../kube/types.ts";
import type { Store } from "../api/store.ts";
import { type AddressOf, readyEndpoints } from "./endpoints.ts";
import { joinSockets, listenHere, type PodNetwork } from "./network/pod-network.ts";
import { isService, type StoredPod, type StoredService } from "./stored-object.ts";

interface ForwarderOptions {
  readonly network: Pick<PodNetwork, "connect" | "listen">;
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  readonly addressOf: AddressOf;
  readonly nodeAddress: string;
  /** Open connections of each port; more are closed at once. @default 4096 */
  readonly maxConnections?: number;
}

/**
 * Listens on the cluster IP of every service, and on its node ports at the loopback address and the node's address.
 * Forwards TCP connections to the service's pods: in turn, or by session if the service has session affinity.
 *
 * Skips a port that is not available, such as one below 1024 for an unprivileged user: the pods stay reachable at
 * their own addresses. Does not forward UDP.
 *
 * @returns a function that stops the forwarders.
 */
export function startServiceForwarders(options: ForwarderOptions): () => void {
  const { store } = options;
  const forwarders: Forwarders = { options, servers: new Map(), sockets: new Set() };
  for (const service of store.list("services").filter(isService)) updateService(forwarders, service, false);
  const unsubscribe = store.subscribe(({ type, collection, object }) => {
    if (collection === "services" && isService(object)) updateService(forwarders, object, type === "DELETED");
  });
  return () => {
    unsubscribe();
    for (const server of [...forwarders.servers.values()].flat()) server.close();
    for (const socket of forwarders.sockets) socket.destroy();
  };
}

const defaultMaxConnections = 4096;

interface Forwarders {
  readonly options: ForwarderOptions;
  /** Servers by `keyOf`. */
  readonly servers: Map<string, Servers>;
  /** Both ends of the open connections. */
  readonly sockets: Set<Socket>;
}

/** Ports of a service: here and, if pods have their own network, there. */
type Servers = readonly { readonly close: () => void }[];

/** Opens and closes servers so that they match a service. */
function updateService(forwarders: Forwarders, service: StoredService, isDeleted: boolean): void {
  const { servers, options } = forwarders;
  const { uid, name } = service.metadata;
  const desired = new Map(
    isDeleted || name === "kubernetes"
      ? []
      : listeners(service, options.nodeAddress).map((listener) => [keyOf(uid, listener), listener]),
  );
  for (const [key, listening] of servers) {
    if (!key.startsWith(`${uid} `) || desired.has(key)) continue;
    for (const server of listening) server.close();
    servers.delete(key);
  }
  for (const [key, listener] of desired) {
    if (!servers.has(key)) servers.set(key, listen(forwarders, service, listener));
  }
}

function listen(
  { options, sockets }: Forwarders,
  { metadata }: StoredService,
  { address, port, servicePort }: Listener,
): Servers {
  const choose = endpointChooser(options.clock);
  const forward = (incoming: Socket) => {
    const service = options.store.get("services", metadata.namespace, metadata.name);
    const found = service !== undefined && isService(service) ? service : undefined;
    const candidates = found === undefined ? [] : targets(options, found, servicePort);
    const chosen = choose(candidates, incoming.remoteAddress ?? "", sessionTimeoutMs(found));
    if (chosen === undefined) incoming.destroy();
    else join(sockets, incoming, options.network.connect(chosen.address, chosen.port));
  };
  const { maxConnections = defaultMaxConnections } = options;
  const here = listenHere(address, port, forward);
  here.maxConnections = maxConnections;
  const { listen: listenThere } = options.network;
  if (listenThere === undefined || address === "127.0.0.1") return [here];
  let isClosed = false;
  const there = listenThere(address, port).then(
    (server) => {
      server.maxConnections = maxConnections;
      server.on("connection", forward);
      server.unref();
      if (isClosed) server.close();
      return server;
    },
    () => undefined,
  );
  const close = () => {
    isClosed = true;
    void there.then((server) => server?.close());
  };
  return [here, { close }];
}

/** Lists the ready pods of a service and their ports. */
function targets({ store, addressOf }: ForwarderOptions, service: StoredService, port: number): Target[] {
  const servicePort = (service.spec?.ports ?? []).find((candidate) => candidate.port === port);
  return readyEndpoints(store, service, addressOf).flatMap(({ address, pod }) => {
    const target = servicePort === undefined ? undefined : targetPort(servicePort, pod);
    return target === undefined ? [] : [{ address, port: target }];
  });
}

/** Connects two sockets until one closes. */
function join(sockets: Set<Socket>, incoming: Socket, connecting: Promise<Socket>): void {
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  };
  track(incoming);
  connecting.then(
    (outgoing) => {
      track(outgoing);
      joinSockets(incoming, outgoing);
      if (incoming.destroyed) outgoing.destroy();
    },
    () => incoming.destroy(),
  );
}

/** Address and port of a service. */
interface Listener {
  readonly address: string;
  readonly port: number;
  /** Port of the service that it serves. */
  readonly servicePort: number;
}

function keyOf(uid: string, { address, port }: Listener): string {
  return `${uid} ${address} ${port}`;
}

function listeners({ spec }: StoredService, nodeAddress: string): Listener[] {
  const clusterIp = spec?.clusterIP ?? "";
  const ports = (spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP");
  return ports.flatMap(({ port: servicePort, nodePort }) => {
    const own = clusterIp === "" || clusterIp === "None" ? [] : [clusterIp];
    const nodes = nodePort === undefined || nodePort === 0 ? [] : ["127.0.0.1", nodeAddress];
    return [
      ...own.map((address) => ({ address, port: servicePort, servicePort })),
      ...nodes.map((address) => ({ address, port: nodePort ?? 0, servicePort })),
    ];
  });
}

/** Returns the session timeout after a client's last connection; `undefined` for services without affinity. */
function sessionTimeoutMs(service: StoredService | undefined): number | undefined {
  const { sessionAffinity, sessionAffinityConfig } = service?.spec ?? {};
  if (sessionAffinity !== "ClientIP") return undefined;
  return (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) * 1000;
}

interface Target {
  readonly address: string;
  readonly port: number;
}

/** Creates a function that chooses targets in turn, or the client's previous one. */
function endpointChooser({ now }: Pick<Clock, "now">) {
  const sessions = new Map<string, { readonly target: Target; readonly until: number }>();
  let nextIndex = 0;
  return (candidates: readonly Target[], client: string, sessionMs: number | undefined): Target | undefined => {
    const session = sessions.get(client);
    const known = candidates.find(
      ({ address, port }) => address === session?.target.address && port === session.target.port,
    );
    const isKept = sessionMs !== undefined && known !== undefined && (session?.until ?? 0) > now();
    if (!isKept) nextIndex += 1;
    const target = isKept ? known : candidates[nextIndex % Math.max(1, candidates.length)];
    if (sessionMs !== undefined && target !== undefined) sessions.set(client, { target, until: now() + sessionMs });
    return target;
  };
}

/** Resolves a target port given by number or by its name in the pod's containers. */
export function targetPort({ port, targetPort: target }: ServicePort, { spec }: StoredPod): number | undefined {
  if (target === undefined || target === 0 || target === "") return port;
  if (typeof target === "number") return target;
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  return ports.find(({ name }) => name === target)?.containerPort;
}
