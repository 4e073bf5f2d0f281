import type { Socket } from "node:net";
import type { Clock } from "../../host/host.ts";
import type { ServicePort } from "../../kube/types.ts";
import type { Store } from "../api/store.ts";
import type { AddressOf } from "./endpoints.ts";
import { forwardOnNode } from "./network/datagrams.ts";
import { type ForwardedConnections, forwardedConnections } from "./network/forwarded-connections.ts";
import { type Listener, listenOnNode } from "./network/listeners.ts";
import type { Endpoint } from "./network/listening-sockets.ts";
import type { PodNetwork } from "./network/pod-network.ts";
import { serviceTargets } from "./service-targets.ts";
import { isService, type StoredService } from "./stored-object.ts";

interface ForwarderOptions {
  readonly network: Pick<PodNetwork, "connect" | "listen" | "bind" | "bindFor">;
  readonly store: Store;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly addressOf: AddressOf;
  readonly nodeAddress: string;
  /** Open connections of each port; more are closed at once. @default 4096 */
  readonly maxConnections?: number;
}

/**
 * Listens on the cluster IP of every service, and on its node ports at the loopback address and the node's address.
 * Forwards TCP connections and datagrams to the service's pods, or to its endpoints if it has no selector: in turn, or by session if the service has session affinity.
 *
 * Skips a port that is not available, such as one below 1024 for an unprivileged user: the pods stay reachable at
 * their own addresses. Does not forward SCTP.
 *
 * @returns a function that stops the forwarders.
 */
export function startServiceForwarders(options: ForwarderOptions): () => void {
  const { store } = options;
  const forwarders: Forwarders = { options, listeners: new Map(), connections: forwardedConnections() };
  for (const service of store.list("services").filter(isService)) updateService(forwarders, service, false);
  const unsubscribe = store.subscribe(({ type, collection, object }) => {
    if (collection === "services" && isService(object)) updateService(forwarders, object, type === "DELETED");
  });
  return () => {
    unsubscribe();
    for (const listener of forwarders.listeners.values()) listener.close();
    forwarders.connections.closeAll();
  };
}

interface Forwarders {
  readonly options: ForwarderOptions;
  /** Listeners by `keyOf`. */
  readonly listeners: Map<string, Listener>;
  readonly connections: ForwardedConnections;
}

/** Opens and closes listeners so that they match a service. */
function updateService(forwarders: Forwarders, service: StoredService, isDeleted: boolean): void {
  const { listeners, options } = forwarders;
  const { uid, name } = service.metadata;
  const desired = new Map(
    isDeleted || name === "kubernetes"
      ? []
      : portsOf(service, options.nodeAddress).map((port) => [keyOf(uid, port), port]),
  );
  for (const [key, listener] of listeners) {
    if (!key.startsWith(`${uid} `) || desired.has(key)) continue;
    listener.close();
    listeners.delete(key);
  }
  for (const [key, port] of desired) {
    if (!listeners.has(key)) listeners.set(key, listen(forwarders, service, port));
  }
}

function listen(
  { options, connections }: Forwarders,
  { metadata }: StoredService,
  { address, port, servicePort, protocol }: OpenPort,
): Listener {
  const { network, clock, store, maxConnections } = options;
  const chooseEndpoint = endpointChooser(clock);
  const choose = (client: string) => {
    const service = store.get("services", metadata.namespace, metadata.name);
    const found = service !== undefined && isService(service) ? service : undefined;
    const ownPort = found?.spec?.ports?.find((own) => own.port === servicePort && protocolOf(own) === protocol);
    const candidates = found === undefined || ownPort === undefined ? [] : serviceTargets(options, found, ownPort);
    return chooseEndpoint(candidates, client, sessionTimeoutMs(found));
  };
  if (protocol === "UDP") return forwardOnNode(network, { address, port, choose, clock });
  const onConnection = (incoming: Socket) => {
    const chosen = choose(incoming.remoteAddress ?? "");
    if (chosen === undefined) incoming.destroy();
    else connections.add(incoming, network.connect(chosen.address, chosen.port));
  };
  return listenOnNode(network, { address, port, onConnection, maxConnections });
}

/** Address and port at which a service is available. */
interface OpenPort extends Endpoint {
  /** Port of the service that it serves. */
  readonly servicePort: number;
  readonly protocol: "TCP" | "UDP";
}

function keyOf(uid: string, { address, port, protocol }: OpenPort): string {
  return `${uid} ${address} ${port} ${protocol}`;
}

function portsOf({ spec }: StoredService, nodeAddress: string): OpenPort[] {
  const clusterIp = spec?.clusterIP ?? "";
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const { port, nodePort } = servicePort;
    const protocol = protocolOf(servicePort);
    if (protocol === undefined) return [];
    const own = clusterIp === "" || clusterIp === "None" ? [] : [clusterIp];
    const nodes = nodePort === undefined || nodePort === 0 ? [] : ["127.0.0.1", nodeAddress];
    return [
      ...own.map((address) => ({ address, port, servicePort: port, protocol })),
      ...nodes.map((address) => ({ address, port: nodePort ?? 0, servicePort: port, protocol })),
    ];
  });
}

/** Returns a port's protocol; `undefined` if it is not forwarded. */
function protocolOf({ protocol = "TCP" }: ServicePort): OpenPort["protocol"] | undefined {
  return protocol === "TCP" || protocol === "UDP" ? protocol : undefined;
}

/** Returns the session timeout after a client's last connection; `undefined` for services without affinity. */
function sessionTimeoutMs(service: StoredService | undefined): number | undefined {
  const { sessionAffinity, sessionAffinityConfig } = service?.spec ?? {};
  if (sessionAffinity !== "ClientIP") return undefined;
  return (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) * 1000;
}

/** Creates a function that chooses targets in turn, or the client's previous one. */
function endpointChooser({ now }: Pick<Clock, "now">) {
  const sessions = new Map<string, { readonly target: Endpoint; readonly until: number }>();
  let nextIndex = 0;
  return (candidates: readonly Endpoint[], client: string, sessionMs: number | undefined): Endpoint | undefined => {
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
