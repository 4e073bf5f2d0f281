import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type PushPong,
  type PushReceipt,
  type PushRefusal,
  pushHeaders,
  pushMessages,
  pushPaths,
  unknownSparkVersion,
} from "../../staging-client/push.ts";
import { LocalizeError, networkError } from "../localize-error.ts";
import type { PushedEntries } from "./pushed-entries.ts";

/** The one application that a waiting init container takes. */
export interface PushSession {
  readonly secret: string;
  readonly entries: PushedEntries;
  /** The client that has it. */
  client?: string;
  /** The connection that sends now. */
  sending?: Sending;
  /** Something came from it. */
  readonly moved: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
  readonly say: (text: string) => void;
}

interface Sending {
  /** Resolves when nothing more of it is written. */
  readonly stop: () => Promise<void>;
}

const serverSparkVersion = unknownSparkVersion;

/** Answers one request of the push protocol. */
export function answerPush(session: PushSession, request: IncomingMessage, response: ServerResponse): void {
  const { method, url } = request;
  if (url === pushPaths.ping) {
    const pong: PushPong = { action: "PingResponse", message: "pong", text: "pong", serverSparkVersion };
    if (method === "GET") sendJson(response, 200, pong);
    else refuse(response, 405, `${method} is not understood here.`);
  } else if (url !== pushPaths.create) {
    refuse(response, 404, "There is no such route.");
  } else if (method !== "POST" && method !== "HEAD") {
    refuse(response, 405, `${method} is not understood here.`);
  } else if (!isSame(request.headers[pushHeaders.secret], session.secret)) {
    refuse(response, 401, pushMessages.unauthorized);
  } else if (isTaken(session, request)) {
    refuse(response, 409, pushMessages.taken);
  } else if (method === "HEAD") {
    session.moved();
    sendOffset(session, response, 200);
  } else {
    create(session, request, response).catch((error: unknown) => {
      request.resume();
      fail(session, response, error);
    });
  }
}

/** Takes as long for any wrong secret. */
function isSame(given: string | readonly string[] | undefined, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(typeof given === "string" ? given : ""), digest(secret)) && given !== "";
}

function clientOf({ headers }: IncomingMessage): string {
  return String(headers[pushHeaders.client] ?? "");
}

/** A client without a name cannot be told from another: it may come again only when nobody sends. */
function isTaken({ client, sending }: PushSession, request: IncomingMessage): boolean {
  if (client === undefined) return false;
  return client !== clientOf(request) || (client === "" && sending !== undefined);
}

async function create(
  session: PushSession,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { entries } = session;
  session.client = clientOf(request);
  session.moved();
  while (session.sending !== undefined) await session.sending.stop();
  const offset = /^\d{1,15}$/.exec(String(request.headers[pushHeaders.offset] ?? "0"))?.[0];
  if (offset === undefined) return refuse(response, 400, `${pushHeaders.offset} is no number.`);
  if (Number(offset) !== entries.receivedBytes()) return sendOffset(session, response, 409);
  const missing = entries.totalBytes - entries.receivedBytes();
  if (Number(request.headers["content-length"] ?? 0) > missing)
    return refuse(response, 400, `Only ${missing} bytes are missing.`);
  const outcome = await receive(session, request);
  if (outcome === "too much") {
    request.resume();
    return refuse(response, 400, `Only ${missing} bytes were missing.`);
  }
  if (!entries.isWhole()) return sendOffset(session, response, 204);
  const receipt: PushReceipt = {
    ...{ action: "CreateSubmissionResponse", message: "success", success: true },
    serverSparkVersion,
  };
  response.once("finish", session.done);
  response.once("close", session.done);
  sendJson(response, 200, receipt);
}

async function receive(session: PushSession, request: IncomingMessage): Promise<"whole" | "too much"> {
  const { entries } = session;
  let over = () => {};
  const stopped = new Promise<void>((resolve) => {
    over = resolve;
  });
  const sending: Sending = {
    stop() {
      request.destroy();
      return stopped;
    },
  };
  session.sending = sending;
  try {
    // A refusal can only be sent while the request stands.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      session.moved();
      if (chunk.length > entries.totalBytes - entries.receivedBytes()) return "too much";
      await entries.write(chunk);
    }
    await entries.write(new Uint8Array());
    return "whole";
  } catch (error) {
    throw networkError(error, "the submitting client");
  } finally {
    over();
    if (session.sending === sending) delete session.sending;
  }
}

/** A cut connection is the client's to mend; what it sent wrong, or cannot be written, is the end. */
function fail(session: PushSession, response: ServerResponse, error: unknown): void {
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

function sendOffset({ entries }: PushSession, response: ServerResponse, status: 200 | 204 | 409): void {
  response.setHeader(pushHeaders.offset, entries.receivedBytes());
  response.setHeader(pushHeaders.length, entries.totalBytes);
  if (status === 409) refuse(response, 409, `It goes on at ${entries.receivedBytes()}.`);
  else response.writeHead(status).end();
}

/** What was not read of the body is not waited for. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.setHeader("connection", "close");
  const refusal: PushRefusal = { action: "ErrorResponse", message, serverSparkVersion };
  sendJson(response, status, refusal);
}

function sendJson(response: ServerResponse, status: number, value: PushPong | PushReceipt | PushRefusal) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
