import type { Socket } from "node:net";
import type { Clock } from "../../host/host.ts";
import type { ServicePort } from "../../kube/types.ts";
import type { Store } from "../api/store.ts";
import type { AddressOf } from "./endpoints.ts";
import { type ForwardedConnections, forwardedConnections } from "./network/forwarded-connections.ts";
import { type Listener, listenOnNode } from "./network/listeners.ts";
import type { Endpoint } from "./network/listening-sockets.ts";
import type { PodNetwork } from "./network/pod-network.ts";
import { serviceTargets } from "./service-targets.ts";
import { isService, type StoredService } from "./stored-object.ts";

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
 * Forwards TCP connections to the service's pods, or to its endpoints if it has no selector: in turn, or by session if the service has session affinity.
 *
 * Skips a port that is not available, such as one below 1024 for an unprivileged user: the pods stay reachable at
 * their own addresses. Does not forward UDP.
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
  { address, port, servicePort }: OpenPort,
): Listener {
  const choose = endpointChooser(options.clock);
  const forward = (incoming: Socket) => {
    const service = options.store.get("services", metadata.namespace, metadata.name);
    const found = service !== undefined && isService(service) ? service : undefined;
    const ownPort =
      found === undefined ? undefined : tcpPorts(found).find((candidate) => candidate.port === servicePort);
    const candidates = found === undefined || ownPort === undefined ? [] : serviceTargets(options, found, ownPort);
    const chosen = choose(candidates, incoming.remoteAddress ?? "", sessionTimeoutMs(found));
    if (chosen === undefined) incoming.destroy();
    else connections.add(incoming, options.network.connect(chosen.address, chosen.port));
  };
  return listenOnNode(options.network, {
    ...{ address, port, onConnection: forward, maxConnections: options.maxConnections },
  });
}

/** Address and port at which a service is available. */
interface OpenPort extends Endpoint {
  /** Port of the service that it serves. */
  readonly servicePort: number;
}

function keyOf(uid: string, { address, port }: OpenPort): string {
  return `${uid} ${address} ${port}`;
}

function tcpPorts({ spec }: StoredService): readonly ServicePort[] {
  return (spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP");
}

function portsOf(service: StoredService, nodeAddress: string): OpenPort[] {
  const clusterIp = service.spec?.clusterIP ?? "";
  return tcpPorts(service).flatMap(({ port: servicePort, nodePort }) => {
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
