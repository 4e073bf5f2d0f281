import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { listenOn } from "../../http/listen-on.ts";
import type { Connection } from "./connection.ts";
import type { ServiceScope } from "./scope.ts";
import { isIdle, serveConnection } from "./serve-connection.ts";

/** Address of a service. */
interface ServiceAddress {
  /** `undefined`: all addresses of this machine. */
  readonly address: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  /** `undefined`: no TLS. */
  readonly tls: TlsOptions | undefined;
}

/** A service that accepts connections. */
export interface TransportServer {
  readonly port: number;
  /** Accepts no new connections, lets running requests end, and closes all connections after `drainMs` at most. */
  readonly stop: () => Promise<void>;
}

const housekeepingMs = 5_000;
/** Time after which a write that makes no progress loses its buffer, if other transfers need one. */
const stalledMs = 10_000;
/** Time after which an unused file is closed. */
const idleFileMs = 10_000;

/** Opens the port. @throws Node's error, e.g. EADDRINUSE */
export async function openTransportServer(scope: ServiceScope, where: ServiceAddress): Promise<TransportServer> {
  const { limits, host, limitedLog, counters } = scope;
  const open = new Set<Connection>();
  let isStopping = false;
  const onIdle = ({ socket }: Connection) => {
    if (isStopping) socket.end();
  };
  const onConnection = (socket: Socket) => {
    const connection = serveConnection(scope, socket, (idle) => {
      if (isIdle(idle)) onIdle(idle);
    });
    open.add(connection);
    socket.once("close", () => open.delete(connection));
  };
  const handshakeTimeout = limits.handshakeTimeoutMs;
  const server: Server =
    where.tls === undefined
      ? createServer(onConnection)
      : createTlsServer({ ...where.tls, handshakeTimeout }, onConnection).on("tlsClientError", (_error, socket) => {
          counters.errors.connection += 1;
          socket.destroy();
        });
  server.maxConnections = limits.maxConnections;
  server.on("drop", () => {
    counters.errors.overload += 1;
    limitedLog("WARN", "All connections are in use, so new ones are closed.", {
      maxConnections: limits.maxConnections,
    });
  });
  const port = await listenOn(server, where);
  let cancel = host.clock.after(housekeepingMs, keepHouse);
  function keepHouse(): void {
    scope.source.open.closeIdle(idleFileMs);
    if (scope.buffers.waiting() > 0) closeStalled(scope, open);
    cancel = host.clock.after(housekeepingMs, keepHouse);
  }
  return {
    port,
    async stop() {
      isStopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of open) if (isIdle(connection)) onIdle(connection);
      const cancelDrain = host.clock.after(limits.drainMs, () => {
        for (const { socket } of open) socket.destroy();
      });
      await closed;
      cancelDrain();
      cancel();
      scope.source.open.closeIdle(0);
    },
  };
}

/** Closes the connections whose clients do not read, because others wait for their buffers. */
function closeStalled({ host, counters, limitedLog }: ServiceScope, open: ReadonlySet<Connection>): void {
  const before = host.clock.monotonic() - stalledMs;
  for (const { socket, peer, writeStartedMs } of open) {
    if (writeStartedMs === undefined || writeStartedMs > before || socket.writableLength === 0) continue;
    counters.errors.overload += 1;
    limitedLog("WARN", "A client that does not read was disconnected, because others need its memory.", { peer });
    socket.destroy();
  }
}
