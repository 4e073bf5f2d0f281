import type { ApiRequest, Transport } from "../kube/transport.ts";
import { plainConnections, secureConnections } from "./connection.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { connectionPool } from "./http/connection-pool.ts";
import type { Sending } from "./http/http-connection.ts";
import { printRequestHead } from "./http/request-head.ts";
import type { OpenedSession } from "./http/web-socket.ts";
import { unseen } from "./network-error.ts";

/** A transport over sockets; `close` ends them. */
export interface HttpTransport {
  readonly transport: Transport;
  /** Asks for something else than HTTP. @default impossible */
  readonly openSession?: OpenSession;
  readonly close: () => void;
}

/** Opens a WebSocket in a protocol. Where it is refused, the answer says why. */
export type OpenSession = (request: ApiRequest & { readonly protocol: string }) => Promise<OpenedSession>;

/**
 * Opens nothing yet: connections are made by requests, and kept for the next ones. Encryption is loaded only for https.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_PEM
 */
export async function httpTransport(options: ConnectionOptions): Promise<HttpTransport> {
  const isPlain = options.server.protocol === "http:";
  const open = await (isPlain ? plainConnections(options) : secureConnections(options));
  const { send, stop, close } = connectionPool(open, options.clock);
  const transport = ({ signal, ...call }: ApiRequest) =>
    new Promise<Awaited<ReturnType<Transport>>>((answered, failed) => {
      if (signal?.aborted === true) return failed(unseen(aborted()));
      const onAbort = () => stop(sending, aborted());
      const over = () => signal?.removeEventListener("abort", onAbort);
      const { method, body } = call;
      const sending: Sending = {
        method,
        head: printRequestHead(options, call),
        body,
        answered,
        failed,
        over,
      };
      signal?.addEventListener("abort", onAbort);
      return send(sending);
    });
  const openSession: OpenSession = async (request) => {
    const { openWebSocket } = await import("./http/web-socket.ts");
    return openWebSocket(options, open, request);
  };
  return { transport, openSession, close };
}

function aborted(): Error {
  return Object.assign(new Error("the request was stopped"), { name: "AbortError", code: "ABORT_ERR" });
}
