import { Duplex } from "node:stream";
import type { PodPortCall } from "./call.ts";
import type { Api } from "./exchange.ts";
import type { WebSocketConnection } from "./http/web-socket.ts";
import { openPodSession } from "./pod-session.ts";

const dataChannel = 0;
const errorChannel = 1;
/** Each channel begins with the number of its port. */
const portBytes = 2;

/**
 * Opens a connection to a port of a pod. It has no half-open state: either side ends both directions.
 *
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function connectToPod(api: Api, { namespace, pod, port, signal }: PodPortCall): Promise<Duplex> {
  const query = { ports: port };
  return overChannels(await openPodSession(api, { namespace, pod, subresource: "portforward", query, signal }));
}

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
