import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Session } from "../../api/pod-sessions.ts";
import { maxMessageBytes } from "./backlog.ts";
import { channelProtocol, unnamed } from "./channel-protocol.ts";
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

/** Protocols of each kind of session that the API server itself prefers, whatever the client's order is. */
const preferred: Readonly<Record<Session["kind"], string>> = { command: "v5.channel.k8s.io", ports: tunnel };

const olderPorts = [unnamed, "v4.channel.k8s.io", "v4.base64.channel.k8s.io"];

/** Other protocols, which the kubelet serves: of these, the client's first. */
const older: Readonly<Record<Session["kind"], readonly string[]>> = {
  command: [...olderPorts, "channel.k8s.io", "base64.channel.k8s.io"],
  ports: olderPorts,
};

const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
const chosen = new WeakMap<IncomingMessage, string>();
server.on("headers", (headers, request) => {
  const protocol = chosen.get(request) ?? unnamed;
  if (protocol !== unnamed) headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
});

/** Upgrades to a WebSocket with a protocol that the client offers. @returns the error message if that fails */
export function serveSession(session: Session, connection: RawConnection): string | undefined {
  const { request, socket, head } = connection;
  const { upgrade = "", "sec-websocket-protocol": list = unnamed } = request.headers;
  const offered = list.split(",").map((protocol) => protocol.trim());
  const isPreferred = offered.includes(preferred[session.kind]);
  const protocol = isPreferred ? preferred[session.kind] : offered.find((name) => older[session.kind].includes(name));
  if (upgrade.toLowerCase() !== "websocket" || protocol === undefined) {
    return `unable to upgrade: WebSockets with one of these protocols are served: ${[preferred[session.kind], ...older[session.kind].filter((name) => name !== unnamed)].join(", ")}\n`;
  }
  // The library rejects protocol names with a slash, so set the header here.
  chosen.set(request, protocol);
  delete request.headers["sec-websocket-protocol"];
  server.handleUpgrade(request, socket, head, (client) => {
    client.on("error", () => client.terminate());
    const channels = channelProtocol(protocol);
    if (session.kind === "command") serveCommand(session, client, channels).catch(() => client.terminate());
    else if (protocol === tunnel) tunnelPorts(session, client);
    else servePorts(session, client, channels);
  });
  return undefined;
}
