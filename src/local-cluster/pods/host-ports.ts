import { isFinalPhase } from "../../kube/pod-phase.ts";
import type { Store } from "../api/store.ts";
import type { AddressOf } from "./endpoints.ts";
import { forwardedConnections } from "./network/forwarded-connections.ts";
import { type Listener, listenOnNode } from "./network/listeners.ts";
import { anyAddress } from "./network/listening-sockets.ts";
import type { PodNetwork } from "./network/pod-network.ts";
import { containersOf, isPod, type StoredPod } from "./stored-object.ts";

interface HostPortOptions {
  readonly network: Pick<PodNetwork, "name" | "connect" | "listen">;
  readonly store: Store;
  readonly addressOf: AddressOf;
  readonly nodeAddress: string;
}

/** Port of the node that leads to a port of a pod. */
interface HostPort {
  readonly hostIp: string;
  readonly hostPort: number;
  readonly containerPort: number;
}

/**
 * Forwards the host ports of pods: from `hostIP`, by default from the loopback address and the node's address. Does not forward UDP.
 *
 * In this machine's network, a program that listens on a host port of its own number needs no forwarding.
 *
 * @returns a function that stops it.
 */
export function startHostPorts({ network, store, addressOf, nodeAddress }: HostPortOptions): () => void {
  const connections = forwardedConnections();
  const listeners = new Map<string, readonly Listener[]>();
  const close = (uid: string) => {
    for (const listener of listeners.get(uid) ?? []) listener.close();
    listeners.delete(uid);
  };
  const open = (pod: StoredPod, address: string) =>
    forwardedPorts(pod, network.name).flatMap(({ hostIp, hostPort, containerPort }) =>
      (hostIp === "" || hostIp === anyAddress ? ["127.0.0.1", nodeAddress] : [hostIp]).map((at) =>
        listenOnNode(network, {
          ...{ address: at, port: hostPort },
          onConnection: (socket) => connections.add(socket, network.connect(address, containerPort)),
        }),
      ),
    );
  const unsubscribe = store.subscribe(({ type, collection, object }) => {
    if (collection !== "pods" || !isPod(object)) return;
    const { uid } = object.metadata;
    const address = addressOf(object);
    if (type === "DELETED" || isFinalPhase(object.status?.phase) || address === undefined) close(uid);
    else if (!listeners.has(uid)) listeners.set(uid, open(object, address));
  });
  return () => {
    unsubscribe();
    for (const uid of [...listeners.keys()]) close(uid);
    connections.closeAll();
  };
}

function forwardedPorts({ spec }: StoredPod, network: PodNetwork["name"]): readonly HostPort[] {
  if (spec.hostNetwork === true) return [];
  const ports = containersOf(spec).flatMap((container) => container.ports ?? []);
  return ports.flatMap(({ hostPort = 0, hostIP: hostIp = "", containerPort, protocol = "TCP" }): HostPort[] => {
    const isDirect = network === "shared" && hostPort === containerPort;
    return hostPort === 0 || protocol !== "TCP" || isDirect ? [] : [{ hostIp, hostPort, containerPort }];
  });
}
