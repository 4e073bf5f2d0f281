import type { ServerResponse } from "node:http";
import {
  type PushPong,
  type PushReceipt,
  type PushRejection,
  pushHeaders,
  unknownSparkVersion as serverSparkVersion,
} from "../../staging-client/push.ts";
import { LocalizeError } from "../localize-error.ts";
import type { PushSession } from "./push-session.ts";

/** Answers a ping. */
export function sendPong(response: ServerResponse): void {
  const pong: PushPong = { action: "PingResponse", message: "pong", text: "pong", serverSparkVersion };
  sendJson(response, 200, pong);
}

/** Tells the client that all is there; when it knows, the session is over. */
export function acknowledge(session: PushSession, response: ServerResponse): void {
  const receipt: PushReceipt = {
    ...{ action: "CreateSubmissionResponse", message: "success", success: true },
    serverSparkVersion,
  };
  response.once("finish", session.done);
  response.once("close", session.done);
  sendJson(response, 200, receipt);
}

/** Tells where the contents go on. */
export function sendOffset(
  { entries }: PushSession,
  response: ServerResponse,
  status: 200 | 204 | 409,
): void {
  response.setHeader(pushHeaders.offset, entries.receivedBytes());
  response.setHeader(pushHeaders.length, entries.totalBytes);
  if (status === 409) refuse(response, 409, `It goes on at ${entries.receivedBytes()}.`);
  else response.writeHead(status).end();
}

/** Responds without waiting for the unread rest of the body. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.setHeader("connection", "close");
  const refusal: PushRejection = { action: "ErrorResponse", message, serverSparkVersion };
  sendJson(response, status, refusal);
}

function sendJson(response: ServerResponse, status: number, value: PushPong | PushReceipt | PushRejection) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** A cut connection is the client's to mend; what it sent wrong, or cannot be written, is the end. */
export function fail(session: PushSession, response: ServerResponse, error: unknown): void {
  if (error instanceof LocalizeError && error.code === "network") {
    session.say(`${error.message}; waiting for it to come again`);
    response.destroy();
    return;
  }
  const isWrong = error instanceof LocalizeError && error.code === "integrity";
  response.once("finish", () => session.failed(error));
  response.once("close", () => session.failed(error));
  const message = error instanceof LocalizeError ? error.message : "It cannot be taken.";
  refuse(response, isWrong ? 422 : 500, message);
}
