import type { Socket } from "node:net";
import type { ApiRequest, ApiResponse } from "../../kube/transport.ts";
import { type ResponseBody, responseBody } from "./response-body.ts";
import { type ResponseParser, responseParser } from "./response-parser.ts";

/** A request on its way, and who wants to know of it. */
export interface Sending {
  readonly method: ApiRequest["method"];
  readonly head: string;
  readonly body: ApiRequest["body"];
  /** Its answer has begun. */
  readonly answered: (response: ApiResponse) => void;
  readonly failed: (error: Error) => void;
  /** Nothing more will happen. */
  readonly over: () => void;
}

/** A connection that stands, and carries one request after the other. */
export interface HttpConnection {
  readonly send: (sending: Sending) => void;
  readonly carries: (sending: Sending) => boolean;
  /** Ends it, and what it carries. */
  readonly fail: (error: Error) => void;
}

/** Owner of a connection. */
export interface Owner {
  /** The answer to the request has begun. */
  readonly answering: () => void;
  /** Another request may be sent. */
  readonly idle: () => void;
  /** It is of no more use. Told once. */
  readonly gone: () => void;
}

interface Exchanged {
  readonly sending: Sending;
  readonly parser: ResponseParser;
  body: ResponseBody | undefined;
}

/** Requests over a socket that stands. An idle one does not keep the program alive. */
export function httpConnection(socket: Socket, owner: Owner): HttpConnection {
  let current: Exchanged | undefined;
  let isGone = false;

  const leave = () => {
    socket.destroy();
    if (isGone) return;
    isGone = true;
    owner.gone();
  };
  const fail = (error: Error) => {
    const exchanged = current;
    current = undefined;
    leave();
    if (exchanged === undefined) return;
    if (exchanged.body === undefined) exchanged.sending.failed(error);
    else exchanged.body.fail(error);
    exchanged.sending.over();
  };
  const read = (chunk: Buffer) => {
    // Bytes that nobody asked for would be taken for the next answer.
    if (current === undefined) return fail(cutOff());
    try {
      current.parser.write(chunk);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const end = (exchanged: Exchanged) => {
    exchanged.body?.end();
    current = undefined;
    exchanged.sending.over();
    if (!exchanged.parser.leavesOpen()) return leave();
    socket.resume();
    socket.unref();
    owner.idle();
  };
  const start = (sending: Sending): Exchanged => {
    const flow = {
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      abandon: () => current === exchanged && fail(cutOff()),
    };
    const parser = responseParser(sending.method, {
      head({ status, headers }) {
        exchanged.body = responseBody(flow);
        owner.answering();
        sending.answered({ status, headers, body: exchanged.body.chunks });
      },
      data: (bytes) => exchanged.body?.push(bytes),
      end: () => end(exchanged),
    });
    const exchanged: Exchanged = { sending, parser, body: undefined };
    return exchanged;
  };
  socket.on("data", read);
  socket.on("end", () => {
    if (current?.parser.close() !== true) fail(cutOff());
  });
  socket.on("error", fail);
  socket.on("close", () => fail(cutOff()));
  return {
    carries: (sending) => current?.sending === sending,
    fail,
    send(sending) {
      current = start(sending);
      socket.ref();
      const { head, body = "" } = sending;
      // Usually all is one packet.
      if (typeof body === "string" && Buffer.byteLength(head) === head.length)
        return socket.write(head + body);
      socket.write(head, "latin1");
      return socket.write(body);
    },
  };
}

/** The error of an exchange whose connection ended before it did. */
export function cutOff(reason = "the server closed the connection"): Error {
  return Object.assign(new Error(reason), { code: "ECONNRESET" });
}
