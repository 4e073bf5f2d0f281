import type { Server, Socket } from "node:net";
import type { Host } from "../../../host/host.ts";
import { joinSockets, listenHere, type PodNetwork } from "./pod-network.ts";

/** Makes the ports of pods available to this machine's programs, at the same addresses. */
interface PortMirror {
  /** Starts to mirror a pod. `holder` is a process in its network namespace. */
  readonly add: (address: string, holder: string) => void;
  readonly remove: (address: string) => void;
  readonly stop: () => void;
}

/** Interval at which the pods' ports are read: a driver outside of the cluster connects to its executors soon after they listen. */
const intervalMs = 250;

/** Open connections of each port. */
const maxConnections = 4096;

/** Starts to mirror ports. Skips a port that is not available here, such as one below 1024 for an ordinary user. */
export function startPortMirror(host: Pick<Host, "files" | "clock">, connect: PodNetwork["connect"]): PortMirror {
  const pods = new Map<string, { readonly holder: string; readonly servers: Map<number, Server> }>();
  const sockets = new Set<Socket>();
  let cancel = () => {};
  const update = () => {
    for (const [address, { holder, servers }] of pods) {
      const ports = listeningPorts(host.files, holder, address);
      for (const [port, server] of servers)
        if (!ports.has(port)) {
          server.close();
          servers.delete(port);
        }
      for (const port of ports) {
        if (servers.has(port)) continue;
        const server = listenHere(address, port, (socket) => {
          sockets.add(socket);
          socket.on("close", () => sockets.delete(socket));
          socket.on("error", () => {});
          connect(address, port).then(
            (outgoing) => joinSockets(socket, outgoing),
            () => socket.resetAndDestroy(),
          );
        });
        server.maxConnections = maxConnections;
        servers.set(port, server);
      }
    }
    cancel = pods.size === 0 ? () => {} : host.clock.after(intervalMs, update);
  };
  const remove = (address: string) => {
    for (const server of pods.get(address)?.servers.values() ?? []) server.close();
    pods.delete(address);
  };
  return {
    add(address, holder) {
      pods.set(address, { holder, servers: new Map() });
      cancel();
      update();
    },
    remove,
    stop() {
      cancel();
      for (const address of [...pods.keys()]) remove(address);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Lists the TCP ports that accept connections to an address in a process's network. Source: proc(5), `/proc/net/tcp`. */
export function listeningPorts(files: Pick<Host["files"], "readText">, process: string, address: string): Set<number> {
  const own = Buffer.from(address.split(".").map(Number)).reverse().toString("hex").toUpperCase();
  const isReachable = (local: string) =>
    /^0+$/.test(local) || local === own || local === `0000000000000000FFFF0000${own}`;
  const ports = new Set<number>();
  for (const name of ["tcp", "tcp6"]) {
    for (const line of readIfRunning(files, `/proc/${process}/net/${name}`).split("\n")) {
      const [, local = "", port = ""] = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:0000 0A /.exec(line) ?? [];
      if (port !== "" && isReachable(local)) ports.add(Number.parseInt(port, 16));
    }
  }
  return ports;
}

function readIfRunning(files: Pick<Host["files"], "readText">, path: string): string {
  try {
    return files.readText(path) ?? "";
  } catch {
    // The process has ended.
    return "";
  }
}
