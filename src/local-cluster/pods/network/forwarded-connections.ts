import type { Socket } from "node:net";

/** Connections that are forwarded to others. */
export interface ForwardedConnections {
  /** Joins a connection with the one that is being opened for it. Resets it if that one fails. */
  readonly add: (incoming: Socket, connecting: Promise<Socket>) => void;
  readonly closeAll: () => void;
}

/** Creates a set of forwarded connections. */
export function forwardedConnections(): ForwardedConnections {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  };
  return {
    add(incoming, connecting) {
      track(incoming);
      connecting.then(
        (outgoing) => {
          track(outgoing);
          joinSockets(incoming, outgoing);
          if (incoming.destroyed) outgoing.destroy();
        },
        () => incoming.resetAndDestroy(),
      );
    },
    closeAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Connects two sockets until both directions have ended, or one fails. */
function joinSockets(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroySoon());
    from.pipe(to);
  }
}
