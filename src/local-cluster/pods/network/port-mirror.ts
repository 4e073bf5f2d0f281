import type { Host } from "../../../host/host.ts";
import { type ForwardedConnections, forwardedConnections } from "./forwarded-connections.ts";
import { type Listener, listenHere, listenThere } from "./listeners.ts";
import { anyAddress, type Endpoint, listeningSockets } from "./listening-sockets.ts";
import { connectDirectly, type PodNetwork } from "./pod-network.ts";

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
  /** Returns the addresses in the pods' network at which pods expect a socket of this machine. */
  readonly machineAddresses: (socketAddress: string) => readonly string[];
}

/** Interval at which listening sockets are read: a driver outside of the cluster connects to its executors soon after they listen. */
const intervalMs = 250;

/** Starts to mirror ports while there are pods. Skips a port that is not available, such as one below 1024 for an ordinary user. */
export function startPortMirror(options: MirrorOptions): PortMirror {
  const { host, connect, listen, machineAddresses } = options;
  const connections = forwardedConnections();
  const pods = new Map<string, { readonly holder: string; readonly ports: OpenPorts }>();
  const ofMachine = openPorts(connections, {
    listen: (listener) => listenThere(listen, listener),
    connect: connectDirectly,
  });
  let cancel = () => {};
  const update = () => {
    for (const [address, { holder, ports }] of pods) {
      const sockets = listeningSockets(host.files, holder);
      const own = sockets.filter((socket) => socket.address === address || socket.address === anyAddress);
      ports.update(own.map(({ port }) => ({ address, port })));
    }
    const machine = pods.size === 0 ? [] : listeningSockets(host.files, "self");
    ofMachine.update(
      machine.flatMap(({ address, port }) => machineAddresses(address).map((at) => ({ address: at, port }))),
    );
    cancel = pods.size === 0 ? () => {} : host.clock.after(intervalMs, update);
  };
  const remove = (address: string) => {
    pods.get(address)?.ports.update([]);
    pods.delete(address);
  };
  return {
    add(address, holder) {
      if (pods.get(address)?.holder === holder) return;
      pods.set(address, { holder, ports: openPorts(connections, { listen: listenHere, connect }) });
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

/** Ports of one network that are open in the other. */
interface OpenPorts {
  /** Opens the ports that are new, and closes the others. */
  readonly update: (endpoints: readonly Endpoint[]) => void;
}

interface Direction {
  readonly listen: (options: Parameters<typeof listenHere>[0]) => Listener;
  readonly connect: PodNetwork["connect"];
}

function openPorts(connections: ForwardedConnections, { listen, connect }: Direction): OpenPorts {
  const listeners = new Map<string, Listener>();
  return {
    update(endpoints) {
      const desired = new Map(endpoints.map((endpoint) => [`${endpoint.address}:${endpoint.port}`, endpoint]));
      for (const [key, listener] of listeners) {
        if (desired.has(key)) continue;
        listener.close();
        listeners.delete(key);
      }
      for (const [key, { address, port }] of desired) {
        if (listeners.has(key)) continue;
        const onConnection: Parameters<typeof listenHere>[0]["onConnection"] = (socket) =>
          connections.add(socket, connect(address, port));
        listeners.set(key, listen({ address, port, onConnection }));
      }
    },
  };
}
