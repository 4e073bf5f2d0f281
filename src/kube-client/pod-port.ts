import { Duplex } from "node:stream";
import { resourceTypes } from "../kube/resources.ts";
import type { Transport } from "../kube/transport.ts";
import type { PodPortCall } from "./call.ts";
import { type Api, exchange } from "./exchange.ts";
import type { WebSocketConnection } from "./http/web-socket.ts";
import { aboutSubresource } from "./target.ts";

// Every Kubernetes version supports this protocol, but not the newer SPDY tunnel.
const protocol = "v4.channel.k8s.io";
const dataChannel = 0;
const errorChannel = 1;
/** Each channel begins with the number of its port. */
const portBytes = 2;

/**
 * Opens a connection to a port of a pod over a WebSocket of the API. It has no half-open state: either side ends both directions.
 *
 * Source: Kubernetes, `pods/portforward` over WebSockets.
 *
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function connectToPod(api: Api, { namespace, pod, port, signal }: PodPortCall): Promise<Duplex> {
  const target = { type: resourceTypes.pod, namespace, name: pod, subresource: "portforward" };
  const opened: WebSocketConnection[] = [];
  const transport: Transport = async (request) => {
    if (api.openSession === undefined) throw new Error("this API opens no sessions");
    const { webSocket, rejection } = await api.openSession({ ...request, protocol });
    if (webSocket === undefined) return rejection;
    opened.push(webSocket);
    return { status: 200, headers: {}, body: none() };
  };
  const call = aboutSubresource(target, "get", { ports: port });
  // The response comes from a node, so it has no representation of the API.
  const headers = { accept: "*/*" };
  await exchange({ ...api, transport }, { ...call, method: "GET", headers, signal }, async () => {});
  const [webSocket] = opened;
  if (webSocket === undefined) throw new Error("the session was neither opened nor rejected");
  return overChannels(webSocket);
}

async function* none(): AsyncGenerator<Uint8Array> {}

function overChannels(webSocket: WebSocketConnection): Duplex {
  const unread = [portBytes, portBytes];
  const stream = new Duplex({
    read: () => webSocket.resume(),
    write: (chunk: Uint8Array, _, written) =>
      webSocket.send(Buffer.concat([Buffer.from([dataChannel]), chunk]), written),
    destroy(error, done) {
      webSocket.terminate();
      done(error);
    },
  });
  webSocket.on("message", (message) => {
    if (!Buffer.isBuffer(message)) return;
    const channel = message[0] ?? dataChannel;
    const head = unread[channel] ?? 0;
    const content = message.subarray(1 + head);
    unread[channel] = Math.max(0, head - (message.length - 1));
    if (content.length === 0) return;
    if (channel === errorChannel) stream.destroy(new Error(content.toString("utf8").trim()));
    else if (channel === dataChannel && !stream.push(content)) webSocket.pause();
  });
  webSocket.on("error", (error) => stream.destroy(error));
  webSocket.on("close", () => stream.push(null));
  return stream;
}
