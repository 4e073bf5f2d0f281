import type { ServerResponse } from "node:http";
import { refuse as refuseRequest } from "../../http/serve.ts";
import {
  type PushPong,
  type PushReceipt,
  type PushRejection,
  pushHeaders,
  unknownSparkVersion as serverSparkVersion,
} from "../../staging-client/push.ts";
import { LocalizeError } from "../localize-error.ts";
import type { PushSession } from "./push-session.ts";

/** Responds to a ping. */
export function sendPong(response: ServerResponse): void {
  const pong: PushPong = { action: "PingResponse", message: "pong", text: "pong", serverSparkVersion };
  sendJson(response, 200, pong);
}

/** Confirms that all contents are complete. Ends the session when the client has the response. */
export function acknowledge(session: PushSession, response: ServerResponse): void {
  const receipt: PushReceipt = {
    ...{ action: "CreateSubmissionResponse", message: "success", success: true },
    serverSparkVersion,
  };
  response.once("finish", session.done);
  response.once("close", session.done);
  sendJson(response, 200, receipt);
}

/** Reports the offset at which the client must continue. */
export function sendOffset(session: PushSession, response: ServerResponse, status: 200 | 204 | 409): void {
  const { entries } = session;
  response.setHeader(pushHeaders.offset, entries.receivedBytes());
  response.setHeader(pushHeaders.length, entries.totalBytes);
  if (status === 409) refuse(session, response, 409, `The next offset is ${entries.receivedBytes()}.`);
  else response.writeHead(status).end();
}

/** Responds with an error and closes the connection soon, although the client may still send a body. */
export function refuse({ clock }: PushSession, response: ServerResponse, status: number, message: string): void {
  const rejection: PushRejection = { action: "ErrorResponse", message, serverSparkVersion };
  const headers = { "content-type": "application/json", connection: "close" };
  const body = Buffer.from(JSON.stringify(rejection));
  const exchange = { request: response.req, response };
  refuseRequest(exchange, clock, { status, headers, body }).catch(() => response.destroy());
}

function sendJson(response: ServerResponse, status: number, value: PushPong | PushReceipt) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** Waits for the client to reconnect after a lost connection. Ends the session after any other failure. */
export function fail(session: PushSession, response: ServerResponse, error: unknown): void {
  if (error instanceof LocalizeError && error.code === "network") {
    session.log(`${error.message}; waiting for the client to reconnect`);
    response.destroy();
    return;
  }
  const isWrong = error instanceof LocalizeError && error.code === "integrity";
  response.once("finish", () => session.fail(error));
  response.once("close", () => session.fail(error));
  const message = error instanceof LocalizeError ? error.message : "The init container failed to store the content.";
  refuse(session, response, isWrong ? 422 : 500, message);
}
