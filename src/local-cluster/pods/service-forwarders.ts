import { connect, createServer, type Server, type Socket } from "node:net";
import type { Service } from "../../kube/types.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { type AddressOf, readyEndpoints } from "./endpoints.ts";
import { isService, type StoredPod } from "./stored-pod.ts";

type StoredService = StoredObject & Service;
type ServicePort = NonNullable<NonNullable<Service["spec"]>["ports"]>[number];

/**
 * Listens on the address of every service that has one, and passes TCP connections on to its pods in turn.
 *
 * A port that cannot be had, such as one below 1024 for an ordinary user, is left out: the pods are still reached by
 * their own addresses. UDP is not passed on.
 *
 * @returns how to stop.
 */
export function startServiceForwarders(store: Store, addressOf: AddressOf): () => void {
  const servers = new Map<string, Server>();
  const sockets = new Set<Socket>();

  function follow(service: StoredService, isGone: boolean): void {
    const { uid, name } = service.metadata;
    const wanted = new Map(
      isGone || name === "kubernetes"
        ? []
        : listeners(service).map((listener) => [`${uid} ${listener.port}`, listener]),
    );
    for (const [key, server] of servers) {
      if (!key.startsWith(`${uid} `) || wanted.has(key)) continue;
      server.close();
      servers.delete(key);
    }
    for (const [key, { address, port }] of wanted) {
      if (!servers.has(key)) servers.set(key, listen(service, { address, port }));
    }
  }

  function listen({ metadata }: StoredService, { address, port }: { address: string; port: number }): Server {
    let turn = 0;
    const server = createServer((incoming) => {
      const service = store.get("services", metadata.namespace, metadata.name);
      const target = service !== undefined && isService(service) ? targets(service, port) : [];
      turn += 1;
      const chosen = target[turn % Math.max(1, target.length)];
      if (chosen === undefined) incoming.destroy();
      else join(incoming, connect({ host: chosen.address, port: chosen.port }));
    });
    server.on("error", () => {});
    server.listen({ host: address, port, exclusive: true });
    server.unref();
    return server;
  }

  function targets(service: StoredService, port: number) {
    const wanted = (service.spec?.ports ?? []).find((candidate) => candidate.port === port);
    return readyEndpoints(store, service, addressOf).flatMap(({ address, pod }) => {
      const target = wanted === undefined ? undefined : targetPort(wanted, pod);
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

function listeners({ spec }: StoredService): { address: string; port: number }[] {
  const address = spec?.clusterIP ?? "";
  if (address === "" || address === "None") return [];
  const ports = (spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP");
  return ports.map(({ port }) => ({ address, port }));
}

/** A port by number, or by the name that the pod's container gives it. */
function targetPort({ port, targetPort: target }: ServicePort, { spec }: StoredPod): number | undefined {
  if (target === undefined || target === 0 || target === "") return port;
  if (typeof target === "number") return target;
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  return ports.find(({ name }) => name === target)?.containerPort;
}
