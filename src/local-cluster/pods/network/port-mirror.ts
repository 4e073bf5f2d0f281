import type { Socket as DatagramSocket } from "node:dgram";
import type { Socket } from "node:net";
import type { Host } from "../../../host/host.ts";
import { forwardDatagrams } from "./datagrams.ts";
import { type ForwardedConnections, forwardedConnections } from "./forwarded-connections.ts";
import { type Listener, listenHere, listenThere } from "./listeners.ts";
import { anyAddress, datagramSockets, type Endpoint, listeningSockets } from "./listening-sockets.ts";
import { bindDirectly, connectDirectly, type PodNetwork } from "./pod-network.ts";

/** Makes the ports of pods available to this machine's programs at the same addresses, and this machine's to pods. */
interface PortMirror {
  /** Starts to mirror a pod, unless it is mirrored. `holder` is a process in its network namespace. */
  readonly add: (address: string, holder: string) => void;
  readonly remove: (address: string) => void;
  readonly stop: () => void;
}

interface MirrorOptions {
  readonly host: Pick<Host, "files" | "clock">;
  readonly connect: PodNetwork["connect"];
  readonly listen: NonNullable<PodNetwork["listen"]>;
  /** Opens a port for datagrams in the pods' network. */
  readonly bindInside: () => Promise<DatagramSocket>;
  /** Returns the addresses in the pods' network at which pods expect a socket of this machine. */
  readonly machineAddresses: (socketAddress: string) => readonly string[];
}

/** Interval at which listening sockets are read: a driver outside of the cluster connects to its executors soon after they listen. */
const intervalMs = 250;

/** Starts to mirror ports while there are pods. Skips a port that is not available, such as one below 1024 for an ordinary user. */
export function startPortMirror(options: MirrorOptions): PortMirror {
  const { host, connect, listen, bindInside, machineAddresses } = options;
  const connections = forwardedConnections();
  const pods = new Map<string, MirroredPod>();
  const ofMachine = openPorts((endpoint) =>
    listenThere(listen, { ...endpoint, onConnection: forwarding(connections, connectDirectly, endpoint) }),
  );
  const ofPod = () =>
    openPorts((endpoint) => listenHere({ ...endpoint, onConnection: forwarding(connections, connect, endpoint) }));
  const datagramsOfPod = () =>
    openPorts((endpoint) =>
      forwardDatagrams({
        ...{ clock: host.clock, openFor: bindInside, choose: () => endpoint },
        open: () => bindDirectly(endpoint.address, endpoint.port),
      }),
    );
  let cancel = () => {};
  const update = () => {
    for (const [address, { holder, ports, datagrams }] of pods) {
      const at = (sockets: readonly Endpoint[]) =>
        sockets
          .filter((socket) => socket.address === address || socket.address === anyAddress)
          .map(({ port }) => ({ address, port }));
      ports.update(at(listeningSockets(host.files, holder)));
      datagrams.update(at(datagramSockets(host.files, holder)));
    }
    const machine = pods.size === 0 ? [] : listeningSockets(host.files, "self");
    ofMachine.update(
      machine.flatMap(({ address, port }) => machineAddresses(address).map((at) => ({ address: at, port }))),
    );
    cancel = pods.size === 0 ? () => {} : host.clock.after(intervalMs, update);
  };
  const remove = (address: string) => {
    pods.get(address)?.ports.update([]);
    pods.get(address)?.datagrams.update([]);
    pods.delete(address);
  };
  return {
    add(address, holder) {
      if (pods.get(address)?.holder === holder) return;
      remove(address);
      pods.set(address, { holder, ports: ofPod(), datagrams: datagramsOfPod() });
      cancel();
      update();
    },
    remove,
    stop() {
      cancel();
      for (const address of [...pods.keys()]) remove(address);
      ofMachine.update([]);
      connections.closeAll();
    },
  };
}

/** Pod whose ports are mirrored. */
interface MirroredPod {
  /** Process in its network namespace. */
  readonly holder: string;
  readonly ports: OpenPorts;
  readonly datagrams: OpenPorts;
}

/** Ports of one network that are open in the other. */
interface OpenPorts {
  /** Opens the ports that are new, and closes the others. */
  readonly update: (endpoints: readonly Endpoint[]) => void;
}

/** Returns a function that forwards connections to an endpoint. */
function forwarding(connections: ForwardedConnections, connect: PodNetwork["connect"], { address, port }: Endpoint) {
  return (socket: Socket) => connections.add(socket, connect(address, port));
}

function openPorts(open: (endpoint: Endpoint) => Listener): OpenPorts {
  const listeners = new Map<string, Listener>();
  return {
    update(endpoints) {
      const desired = new Map(endpoints.map((endpoint) => [`${endpoint.address}:${endpoint.port}`, endpoint]));
      for (const [key, listener] of listeners) {
        if (desired.has(key)) continue;
        listener.close();
        listeners.delete(key);
      }
      for (const [key, endpoint] of desired) if (!listeners.has(key)) listeners.set(key, open(endpoint));
    },
  };
}
