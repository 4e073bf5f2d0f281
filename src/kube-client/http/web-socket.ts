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
  | { readonly webSocket: WebSocketConnection; readonly refusal?: undefined }
  | { readonly webSocket?: undefined; readonly refusal: ApiResponse };

/**
 * Asks a server for a WebSocket, over a connection of its own.
 *
 * Rejects with what kept the connection from being opened, or ended it.
 */
export async function openWebSocket(
  { server }: ConnectionOptions,
  open: OpenConnection,
  { path, headers, repeatedHeaders, signal, protocol }: ApiRequest & { readonly protocol: string },
): Promise<OpenedSession> {
  const socket = await standing(open, signal);
  // Encryption is below: to the library this is a connection like any other.
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
    });
    const stop = () => webSocket.terminate();
    const over = () => signal?.removeEventListener("abort", stop);
    signal?.addEventListener("abort", stop);
    webSocket.once("open", () => {
      over();
      // What comes with the answer waits for whoever reads it.
      webSocket.pause();
      resolve({ webSocket });
    });
    webSocket.once("unexpected-response", (_, answer) => {
      over();
      const told = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
      const status = answer.statusCode ?? 0;
      resolve({ refusal: { status, headers: Object.fromEntries(told), body: answer } });
    });
    // Stays for good: an error that nobody hears ends the program.
    webSocket.on("error", (error) => {
      over();
      reject(error);
    });
  });
}

function standing(open: OpenConnection, signal: StopSignal | undefined): Promise<Socket> {
  return new Promise((stands, failed) => {
    const abort = open({ reached: () => {}, stands: done, failed });
    const stop = () => {
      abort();
      failed(new Error("the request was stopped"));
    };
    function done(socket: Socket) {
      signal?.removeEventListener("abort", stop);
      stands(socket);
    }
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop);
  });
}
