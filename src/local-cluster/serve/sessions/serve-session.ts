import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Session } from "../../api/pod-sessions.ts";
import { maxMessageBytes } from "./backlog.ts";
import { serveCommand } from "./command-channels.ts";
import { servePorts } from "./port-channels.ts";
import { tunnelPorts } from "./port-tunnel.ts";

/** A connection whose client requests an upgrade from HTTP. */
export interface RawConnection {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes after the request. */
  readonly head: Buffer;
}

const tunnel = "SPDY/3.1+portforward.k8s.io";

/** Supported protocols of each kind of session, the preferred first. */
const protocols: Readonly<Record<Session["kind"], readonly string[]>> = {
  command: ["v5.channel.k8s.io", "v4.channel.k8s.io"],
  ports: [tunnel, "v4.channel.k8s.io"],
};

const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
const chosen = new WeakMap<IncomingMessage, string>();
server.on("headers", (headers, request) => {
  headers.push(`Sec-WebSocket-Protocol: ${chosen.get(request) ?? ""}`);
});

/** Upgrades to a WebSocket with a protocol that the client offers. @returns the error message if that fails */
export function serveSession(session: Session, connection: RawConnection): string | undefined {
  const { request, socket, head } = connection;
  const { upgrade = "", "sec-websocket-protocol": list = "" } = request.headers;
  const offered = list.split(",").map((protocol) => protocol.trim());
  const known = protocols[session.kind];
  const protocol = known.find((candidate) => offered.includes(candidate));
  if (upgrade.toLowerCase() !== "websocket" || protocol === undefined) {
    return `unable to upgrade: WebSockets with one of these protocols are served: ${known.join(", ")}\n`;
  }
  // The library rejects protocol names with a slash, so set the header here.
  chosen.set(request, protocol);
  delete request.headers["sec-websocket-protocol"];
  server.handleUpgrade(request, socket, head, (client) => {
    client.on("error", () => client.terminate());
    if (session.kind === "command") serveCommand(session, client).catch(() => client.terminate());
    else if (protocol === tunnel) tunnelPorts(session, client);
    else servePorts(session, client);
  });
  return undefined;
}
