import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { connect, type Server, type Socket } from "node:net";
import { anyAddress } from "./listening-sockets.ts";

/** Mechanism by which pods are connected; documented for users. */
export type NetworkName = "pod" | "shared";

/**
 * Network of the pods. `pod`: each pod has its own network namespace, and its address is that of a network of the cluster.
 * `shared`: pods use this machine's network, and their addresses are of its loopback.
 */
export interface PodNetwork {
  readonly name: NetworkName;
  /** Reason why pods share this machine's network although their own was requested, with a remedy. */
  readonly notice?: string;
  /** Connects to the address of a pod, or to another one from this machine's network. Rejects with Node's error. */
  readonly connect: (address: string, port: number) => Promise<Socket>;
  /** Listens in the pods' network; `undefined` if it is this machine's network. */
  readonly listen?: (address: string, port: number) => Promise<Server>;
  /** Opens a port for datagrams in the pods' network; `undefined` if it is this machine's network. */
  readonly bind?: (address: string, port: number) => Promise<DatagramSocket>;
  /** Opens a port for datagrams in the network of an address. */
  readonly bindFor: (target: string) => Promise<DatagramSocket>;
  /** Creates the network of the pod with an address. Does nothing if it exists. */
  readonly attach: (address: string) => void;
  /**
   * Returns the command prefix by which a process enters a pod's network, when it exists. Rejects if it could not be created; the next
   * call tries again.
   */
  readonly entry: (address: string) => Promise<readonly string[]>;
  readonly detach: (address: string) => void;
  /** Returns the address at which pods reach an address of this machine. Other loopback addresses than 127.0.0.x are the same. */
  readonly machineAddress: (address: string) => string;
  /** Name by which pods reach servers at this machine's 127.0.0.1; `undefined` if pods share this machine's loopback. */
  readonly machineName: string | undefined;
  readonly stop: () => void;
}

/** Returns the network of a cluster whose pods share this machine's. */
export function sharedNetwork(notice?: string): PodNetwork {
  return {
    name: "shared",
    ...(notice === undefined ? {} : { notice }),
    connect: connectDirectly,
    bindFor: () => bindDirectly(anyAddress, 0),
    attach() {},
    entry: async () => [],
    detach() {},
    machineAddress: (address) => address,
    machineName: undefined,
    stop() {},
  };
}

/** Connects from this machine's network. Rejects with Node's error. */
export function connectDirectly(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** Opens a port for datagrams on this machine. Rejects with Node's error. */
export function bindDirectly(address: string, port: number): Promise<DatagramSocket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    socket.once("error", reject);
    socket.bind({ address, port, exclusive: true }, () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}
