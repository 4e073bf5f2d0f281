import type { Socket } from "node:net";
import type { ApiRequest, ApiResponse } from "../../kube/transport.ts";
import { type ResponseBody, responseBody } from "./response-body.ts";
import { type ResponseParser, responseParser } from "./response-parser.ts";

/** A request that has no complete response yet, and its callbacks. */
export interface PendingRequest {
  readonly method: ApiRequest["method"];
  readonly head: string;
  readonly body: ApiRequest["body"];
  /** Returns whether a request that waits must not be sent any more. */
  readonly isStopped: () => boolean;
  /** Called with the head of the response, before its body is complete. */
  readonly onResponse: (response: ApiResponse) => void;
  readonly onError: (error: Error) => void;
  /** Called once, after the last other callback. */
  readonly onEnd: () => void;
}

/** An open connection. It sends one request at a time. */
export interface HttpConnection {
  readonly send: (request: PendingRequest) => void;
  readonly isSending: (request: PendingRequest) => boolean;
  /** Closes the connection and fails its request. */
  readonly fail: (error: Error) => void;
}

/** Callbacks of a connection. */
interface ConnectionOwner {
  /** Called when the head of a response has arrived. */
  readonly onResponse: () => void;
  /** Called when another request can be sent. */
  readonly onIdle: () => void;
  /** Called once. */
  readonly onClose: () => void;
}

interface ConnectionState {
  readonly socket: Socket;
  readonly owner: ConnectionOwner;
  current: ActiveExchange | undefined;
  isClosed: boolean;
}

interface ActiveExchange {
  readonly request: PendingRequest;
  readonly parser: ResponseParser;
  body: ResponseBody | undefined;
}

/** Sends requests over an open socket. An idle connection does not keep the process alive. */
export function httpConnection(socket: Socket, owner: ConnectionOwner): HttpConnection {
  const state: ConnectionState = { socket, owner, current: undefined, isClosed: false };
  const fail = (error: Error) => failConnection(state, error);
  socket.on("data", (chunk: Buffer) => receive(state, chunk));
  socket.on("end", () => {
    if (state.current?.parser.close() !== true) fail(connectionReset());
  });
  socket.on("error", fail);
  socket.on("close", () => fail(connectionReset()));
  return {
    isSending: (request) => state.current?.request === request,
    fail,
    send: (request) => sendRequest(state, request),
  };
}

function sendRequest(state: ConnectionState, request: PendingRequest): void {
  const { socket } = state;
  state.current = startExchange(state, request);
  socket.ref();
  const { head, body = "" } = request;
  // Head and body usually fit in one packet.
  if (typeof body === "string" && Buffer.byteLength(head) === head.length) {
    socket.write(head + body);
    return;
  }
  socket.write(head, "latin1");
  socket.write(body);
}

function startExchange(state: ConnectionState, request: PendingRequest): ActiveExchange {
  const { socket, owner } = state;
  const flow = {
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    cancel: () => state.current === exchange && failConnection(state, connectionReset()),
  };
  const parser = responseParser(request.method, {
    head({ status, headers }) {
      exchange.body = responseBody(flow);
      owner.onResponse();
      request.onResponse({ status, headers, body: exchange.body.chunks });
    },
    data: (bytes) => exchange.body?.push(bytes),
    end: () => endExchange(state, exchange),
  });
  const exchange: ActiveExchange = { request, parser, body: undefined };
  return exchange;
}

function receive(state: ConnectionState, chunk: Buffer): void {
  // Without a request, these bytes would become part of the next response.
  if (state.current === undefined) {
    failConnection(state, connectionReset());
    return;
  }
  try {
    state.current.parser.write(chunk);
  } catch (error) {
    failConnection(state, error instanceof Error ? error : new Error(String(error)));
  }
}

function endExchange(state: ConnectionState, { request, parser, body }: ActiveExchange): void {
  body?.end();
  state.current = undefined;
  request.onEnd();
  if (!parser.leavesOpen()) {
    closeConnection(state);
    return;
  }
  state.socket.resume();
  state.socket.unref();
  state.owner.onIdle();
}

function failConnection(state: ConnectionState, error: Error): void {
  const exchange = state.current;
  state.current = undefined;
  closeConnection(state);
  if (exchange === undefined) return;
  if (exchange.body === undefined) exchange.request.onError(error);
  else exchange.body.fail(error);
  exchange.request.onEnd();
}

function closeConnection(state: ConnectionState): void {
  state.socket.destroy();
  if (state.isClosed) return;
  state.isClosed = true;
  state.owner.onClose();
}

/** Builds the error of an exchange whose connection was closed too early. */
export function connectionReset(reason = "the server closed the connection"): Error {
  return Object.assign(new Error(reason), { code: "ECONNRESET" });
}
