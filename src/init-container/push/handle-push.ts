import type { IncomingMessage, ServerResponse } from "node:http";
import { pushHeaders, pushMessages, pushPaths } from "../../staging-client/push.ts";
import { networkError } from "../localize-error.ts";
import { createFromJson, isOldRequest } from "./create-at-once.ts";
import { acknowledge, fail, refuse, sendOffset, sendPong } from "./push-responses.ts";
import { isSame, type PushSession, type Sending } from "./push-session.ts";

/** Answers one request of the push protocol. */
export function handlePush(session: PushSession, request: IncomingMessage, response: ServerResponse): void {
  const { method, url } = request;
  if (url === pushPaths.ping) {
    if (method === "GET") sendPong(response);
    else refuse(response, 405, `${method} is not understood here.`);
  } else if (url !== pushPaths.create) {
    refuse(response, 404, "There is no such route.");
  } else if (method !== "POST" && method !== "HEAD") {
    refuse(response, 405, `${method} is not understood here.`);
  } else if (method === "POST" && isOldRequest(request)) {
    createFromJson(session, request, response).catch((error: unknown) => fail(session, response, error));
  } else if (!isSame(request.headers[pushHeaders.secret], session.secret)) {
    refuse(response, 401, pushMessages.unauthorized);
  } else if (isTaken(session, request)) {
    if (isShared(request)) sendOffset(session, response, 409);
    else refuse(response, 409, pushMessages.taken);
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

function clientOf({ headers }: IncomingMessage): string {
  return String(headers[pushHeaders.client] ?? "");
}

/** It sends what others with the same secret may be sending, too; one of them at a time. */
function isShared({ headers }: IncomingMessage): boolean {
  return headers[pushHeaders.shared] === "true";
}

/** A client without a name cannot be told from another: it may come again only when nobody sends. */
function isTaken({ client, sending }: PushSession, request: IncomingMessage): boolean {
  if (client === undefined) return false;
  if (isShared(request)) return client !== clientOf(request) && sending !== undefined;
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
  if (!entries.isComplete()) return sendOffset(session, response, 204);
  acknowledge(session, response);
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
