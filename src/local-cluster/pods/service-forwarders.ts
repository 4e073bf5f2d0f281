import { connect, createServer, type Server, type Socket } from "node:net";
import type { Clock } from "../../host/host.ts";
import type { Service } from "../../kube/types.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { type AddressOf, readyEndpoints } from "./endpoints.ts";
import { isService, type StoredPod } from "./stored-pod.ts";

type StoredService = StoredObject & Service;
/** What services are forwarded with. */
export interface ForwarderOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  readonly addressOf: AddressOf;
  readonly nodeAddress: string;
}

type ServicePort = NonNullable<NonNullable<Service["spec"]>["ports"]>[number];

/**
 * Listens on the address of every service that has one, and for its node ports on this machine's own and the node's,
 * and passes TCP connections on to its pods: in turn, or by session where the service wants a client to stay with one.
 *
 * A port that cannot be had, such as one below 1024 for an ordinary user, is left out: the pods are still reached by
 * their own addresses. UDP is not passed on.
 *
 * @returns how to stop.
 */
export function startServiceForwarders({
  store,
  clock,
  addressOf,
  nodeAddress,
}: ForwarderOptions): () => void {
  const servers = new Map<string, Server>();
  const sockets = new Set<Socket>();

  function follow(service: StoredService, isGone: boolean): void {
    const { uid, name } = service.metadata;
    const desired = new Map(
      isGone || name === "kubernetes"
        ? []
        : listeners(service, nodeAddress).map((listener) => [keyOf(uid, listener), listener]),
    );
    for (const [key, server] of servers) {
      if (!key.startsWith(`${uid} `) || desired.has(key)) continue;
      server.close();
      servers.delete(key);
    }
    for (const [key, listener] of desired) {
      if (!servers.has(key)) servers.set(key, listen(service, listener));
    }
  }

  function listen({ metadata }: StoredService, { address, port, servicePort }: Listener): Server {
    const choose = endpointChooser(clock);
    const server = createServer((incoming) => {
      const service = store.get("services", metadata.namespace, metadata.name);
      const found = service !== undefined && isService(service) ? service : undefined;
      const candidates = found === undefined ? [] : targets(found, servicePort);
      const chosen = choose(candidates, incoming.remoteAddress ?? "", sessionTimeoutMs(found));
      if (chosen === undefined) incoming.destroy();
      else join(incoming, connect({ host: chosen.address, port: chosen.port }));
    });
    server.on("error", () => {});
    server.listen({ host: address, port, exclusive: true });
    server.unref();
    return server;
  }

  function targets(service: StoredService, port: number) {
    const desired = (service.spec?.ports ?? []).find((candidate) => candidate.port === port);
    return readyEndpoints(store, service, addressOf).flatMap(({ address, pod }) => {
      const target = desired === undefined ? undefined : targetPort(desired, pod);
      return target === undefined ? [] : [{ address, port: target }];
    });
  }

  function join(incoming: Socket, outgoing: Socket): void {
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroySoon();
      });
      one.pipe(other);
    }
  }

  for (const service of store.list("services").filter(isService)) follow(service, false);
  const unsubscribe = store.subscribe(({ type, collection, object }) => {
    if (collection === "services" && isService(object)) follow(object, type === "DELETED");
  });
  return () => {
    unsubscribe();
    for (const server of servers.values()) server.close();
    for (const socket of sockets) socket.destroy();
  };
}

/** One address and port of a service. */
interface Listener {
  readonly address: string;
  readonly port: number;
  /** The port of the service that it stands for. */
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

/** How long a client stays with its pod after its last connection; `undefined` for services without sessions. */
function sessionTimeoutMs(service: StoredService | undefined): number | undefined {
  const { sessionAffinity, sessionAffinityConfig } = service?.spec ?? {};
  if (sessionAffinity !== "ClientIP") return undefined;
  return (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) * 1000;
}

interface Target {
  readonly address: string;
  readonly port: number;
}

/** Chooses in turn, or again the one that this client had. */
function endpointChooser({ now }: Pick<Clock, "now">) {
  const sessions = new Map<string, { readonly target: Target; readonly until: number }>();
  let turn = 0;
  return (
    candidates: readonly Target[],
    client: string,
    sessionMs: number | undefined,
  ): Target | undefined => {
    const session = sessions.get(client);
    const known = candidates.find(
      ({ address, port }) => address === session?.target.address && port === session.target.port,
    );
    const isKept = sessionMs !== undefined && known !== undefined && (session?.until ?? 0) > now();
    if (!isKept) turn += 1;
    const target = isKept ? known : candidates[turn % Math.max(1, candidates.length)];
    if (sessionMs !== undefined && target !== undefined)
      sessions.set(client, { target, until: now() + sessionMs });
    return target;
  };
}

/** A port by number, or by the name that the pod's container gives it. */
function targetPort({ port, targetPort: target }: ServicePort, { spec }: StoredPod): number | undefined {
  if (target === undefined || target === 0 || target === "") return port;
  if (typeof target === "number") return target;
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  return ports.find(({ name }) => name === target)?.containerPort;
}
