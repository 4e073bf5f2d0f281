import { createServer, type Socket } from "node:net";
import type { PodNetwork } from "./pod-network.ts";

/** A port that accepts connections until it is closed. */
export interface Listener {
  readonly close: () => void;
}

interface ListenerOptions {
  readonly address: string;
  readonly port: number;
  readonly onConnection: (socket: Socket) => void;
  /** Open connections; more are closed at once. @default 4096 */
  readonly maxConnections?: number | undefined;
}

const defaultMaxConnections = 4096;

/** Listens on this machine. Ignores errors, as a port may be in use or require privileges. */
export function listenHere({ address, port, onConnection, maxConnections }: ListenerOptions): Listener {
  const server = createServer({ allowHalfOpen: true }, onConnection);
  server.maxConnections = maxConnections ?? defaultMaxConnections;
  server.on("error", () => {});
  server.listen({ host: address, port, exclusive: true });
  server.unref();
  return server;
}

/** Listens in the network of the pods. Ignores errors, as a port may be in use. */
export function listenThere(
  listen: NonNullable<PodNetwork["listen"]>,
  { address, port, onConnection, maxConnections }: ListenerOptions,
): Listener {
  let isClosed = false;
  const listening = listen(address, port).then(
    (server) => {
      server.maxConnections = maxConnections ?? defaultMaxConnections;
      server.on("error", () => {});
      server.on("connection", onConnection);
      server.unref();
      if (isClosed) server.close();
      return server;
    },
    () => undefined,
  );
  return {
    close() {
      isClosed = true;
      void listening.then((server) => server?.close());
    },
  };
}

/** Listens on this machine and, unless the address is a pod's own loopback, in the network of the pods. */
export function listenOnNode({ listen }: Pick<PodNetwork, "listen">, options: ListenerOptions): Listener {
  const here = listenHere(options);
  if (listen === undefined || options.address === "127.0.0.1") return here;
  const there = listenThere(listen, options);
  return {
    close() {
      here.close();
      there.close();
    },
  };
}
