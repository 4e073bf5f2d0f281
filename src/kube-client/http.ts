import type { ApiRequest, Transport } from "../kube/transport.ts";
import { plainConnections, secureConnections } from "./connection.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { connectionPool } from "./http/connection-pool.ts";
import type { PendingRequest } from "./http/http-connection.ts";
import { printRequestHead } from "./http/request-head.ts";
import type { OpenedSession } from "./http/web-socket.ts";
import { unseen } from "./network-error.ts";

/** A transport over sockets. `close` closes them. */
export interface HttpTransport {
  readonly transport: Transport;
  /** Opens a WebSocket. @default not supported */
  readonly openSession?: OpenSession;
  readonly close: () => void;
}

/** Opens a WebSocket with a subprotocol, or returns the response that rejects it. */
export type OpenSession = (request: ApiRequest & { readonly protocol: string }) => Promise<OpenedSession>;

/**
 * Creates a transport without connections. Requests open connections and reuse them. TLS is loaded only for https.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_PEM
 */
export async function httpTransport(options: ConnectionOptions): Promise<HttpTransport> {
  const isPlain = options.server.protocol === "http:";
  const open = await (isPlain ? plainConnections(options) : secureConnections(options));
  const { send, abort, close } = connectionPool(open, options.clock);
  const transport = ({ signal, ...call }: ApiRequest) =>
    new Promise<Awaited<ReturnType<Transport>>>((resolve, reject) => {
      if (signal?.aborted === true) return reject(unseen(abortError()));
      const onAbort = () => abort(pending, abortError());
      const onEnd = () => signal?.removeEventListener("abort", onAbort);
      const { method, body } = call;
      const pending: PendingRequest = {
        method,
        head: printRequestHead(options, call),
        body,
        isStopped: () => signal?.aborted === true,
        onResponse: resolve,
        onError: reject,
        onEnd,
      };
      signal?.addEventListener("abort", onAbort);
      return send(pending);
    });
  const openSession: OpenSession = async (request) => {
    const { openWebSocket } = await import("./http/web-socket.ts");
    return openWebSocket(options, open, request);
  };
  return { transport, openSession, close };
}

function abortError(): Error {
  return Object.assign(new Error("the request was stopped"), { name: "AbortError", code: "ABORT_ERR" });
}
