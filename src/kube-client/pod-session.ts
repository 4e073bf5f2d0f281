import type { StopSignal } from "../errors/stop-signal.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Transport } from "../kube/transport.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import type { WebSocketConnection } from "./http/web-socket.ts";
import { aboutSubresource } from "./target.ts";

interface PodSessionCall {
  readonly namespace: string;
  readonly pod: string;
  readonly subresource: "exec" | "portforward";
  readonly query: Parameters<typeof aboutSubresource>[2];
  /** Parameters of the query that it has several times, e.g. `&command=ls`. @default "" */
  readonly repeated?: string;
  readonly signal?: StopSignal | undefined;
}

// Every Kubernetes version supports this protocol, but not version 5 or the SPDY tunnel.
const protocol = "v4.channel.k8s.io";

/**
 * Opens a session with a pod over a WebSocket of the API. The first byte of each message is its channel.
 *
 * Source: Kubernetes, `pods/exec` and `pods/portforward` over WebSockets.
 *
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function openPodSession(api: Api, call: PodSessionCall): Promise<WebSocketConnection> {
  const { namespace, pod: name, subresource, query, repeated = "", signal } = call;
  const opened: WebSocketConnection[] = [];
  const transport: Transport = async (request) => {
    if (api.openSession === undefined) throw new Error("this API opens no sessions");
    const { webSocket, rejection } = await api.openSession({ ...request, protocol });
    if (webSocket === undefined) return rejection;
    opened.push(webSocket);
    return { status: 200, headers: {}, body: none() };
  };
  const about = aboutSubresource({ type: resourceTypes.pod, namespace, name, subresource }, "get", query);
  // The response comes from a node, so it has no representation of the API.
  const headers = { accept: "*/*" };
  const request: Exchange = { ...about, target: `${about.target}${repeated}`, method: "GET", headers, signal };
  await exchange({ ...api, transport }, request, async () => {});
  const [webSocket] = opened;
  if (webSocket === undefined) throw new Error("the session was neither opened nor rejected");
  return webSocket;
}

async function* none(): AsyncGenerator<Uint8Array> {}
