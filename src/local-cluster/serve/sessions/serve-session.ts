import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Session } from "../../api/pod-sessions.ts";
import { serveCommand } from "./command-channels.ts";
import { servePorts } from "./port-channels.ts";
import { tunnelPorts } from "./port-tunnel.ts";

/** A connection on which a client asked for something else than HTTP. */
export interface RawConnection {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came after the request. */
  readonly head: Buffer;
}

const tunnel = "SPDY/3.1+portforward.k8s.io";

/** What may be spoken for a kind of session, the best first. */
const protocols: Readonly<Record<Session["kind"], readonly string[]>> = {
  command: ["v5.channel.k8s.io", "v4.channel.k8s.io"],
  ports: [tunnel, "v4.channel.k8s.io"],
};

const server = new WebSocketServer({ noServer: true });
const chosen = new WeakMap<IncomingMessage, string>();
server.on("headers", (headers, request) => {
  headers.push(`Sec-WebSocket-Protocol: ${chosen.get(request) ?? ""}`);
});

/** Goes on as a WebSocket in a protocol that the client offers. @returns why it cannot */
export function serveSession(session: Session, connection: RawConnection): string | undefined {
  const { request, socket, head } = connection;
  const { upgrade = "", "sec-websocket-protocol": list = "" } = request.headers;
  const offered = list.split(",").map((protocol) => protocol.trim());
  const known = protocols[session.kind];
  const protocol = known.find((candidate) => offered.includes(candidate));
  if (upgrade.toLowerCase() !== "websocket" || protocol === undefined) {
    return `unable to upgrade: WebSockets with one of these protocols are served: ${known.join(", ")}\n`;
  }
  // A name with a slash is none to the library, so we speak of protocols ourselves.
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
