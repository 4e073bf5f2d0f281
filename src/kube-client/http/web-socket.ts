import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { StopSignal } from "../../errors/stop-signal.ts";
import type { ApiRequest, ApiResponse } from "../../kube/transport.ts";
import type { OpenConnection } from "../connection.ts";
import type { ConnectionOptions } from "../connection-options.ts";

/** An open WebSocket, as far as Firesteel uses it: public types must not depend on the types of `ws`. */
export interface WebSocketConnection {
  readonly send: (content: Uint8Array, done: (error?: Error | null) => void) => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly terminate: () => void;
  readonly on: {
    (event: "message", listener: (message: unknown) => void): unknown;
    (event: "error", listener: (error: Error) => void): unknown;
    (event: "close", listener: () => void): unknown;
  };
}

/** A WebSocket to an API, paused, or the response that rejects it. */
export type OpenedSession =
  | { readonly webSocket: WebSocketConnection; readonly rejection?: undefined }
  | { readonly webSocket?: undefined; readonly rejection: ApiResponse };

/** Maximum size of a message. Nodes send at most 32 KiB. */
const maxMessageBytes = 16 * 1024 * 1024;

/**
 * Opens a WebSocket over its own connection.
 *
 * Rejects with the network error.
 */
export async function openWebSocket(
  { server }: ConnectionOptions,
  open: OpenConnection,
  { path, headers, repeatedHeaders, signal, protocol }: ApiRequest & { readonly protocol: string },
): Promise<OpenedSession> {
  const socket = await connectedSocket(open, signal);
  // The socket is already encrypted, so the library sees a plain connection.
  const url = `ws://${server.host}${server.pathname.replace(/\/+$/, "")}${path}`;
  return new Promise((resolve, reject) => {
    const webSocket = new WebSocket(url, protocol, {
      createConnection: () => socket,
      headers,
      finishRequest(request) {
        for (const [name, values] of Object.entries(repeatedHeaders ?? {})) request.setHeader(name, values);
        request.end();
      },
      perMessageDeflate: false,
      maxPayload: maxMessageBytes,
    });
    const stop = () => webSocket.terminate();
    const removeListener = () => signal?.removeEventListener("abort", stop);
    signal?.addEventListener("abort", stop);
    webSocket.once("open", () => {
      removeListener();
      // Bytes that arrive with the response wait for the reader.
      webSocket.pause();
      resolve({ webSocket });
    });
    webSocket.once("unexpected-response", (_, response) => {
      removeListener();
      const headerList = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      const status = response.statusCode ?? 0;
      resolve({ rejection: { status, headers: Object.fromEntries(headerList), body: response } });
    });
    // Never removed: an error without a listener ends the process.
    webSocket.on("error", (error) => {
      removeListener();
      reject(error);
    });
  });
}

function connectedSocket(open: OpenConnection, signal: StopSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const abort = open({ reached: () => {}, connected: done, failed: reject });
    const stop = () => {
      abort();
      reject(new Error("the request was stopped"));
    };
    function done(socket: Socket) {
      signal?.removeEventListener("abort", stop);
      resolve(socket);
    }
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop);
  });
}
