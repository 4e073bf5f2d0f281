import type { IncomingMessage, ServerResponse } from "node:http";
import { pushHeaders, pushMessages, pushPaths } from "../../staging-client/push.ts";
import { networkError } from "../localize-error.ts";
import { createFromJson, isLegacyRequest } from "./create-from-json.ts";
import { acknowledge, fail, refuse, sendOffset, sendPong } from "./push-responses.ts";
import { isSame, type PushSession, type Sending } from "./push-session.ts";

/** Responds to one request of the push protocol. */
export function handlePush(session: PushSession, request: IncomingMessage, response: ServerResponse): void {
  const { method } = request;
  const url = pathBelow(session.basePath, request.url ?? "");
  if (url === pushPaths.ping) {
    if (method === "GET") sendPong(response);
    else refuse(session, response, 405, `${method} is not allowed for this path.`);
  } else if (url !== pushPaths.create) {
    refuse(session, response, 404, "This path does not exist.");
  } else if (method !== "POST" && method !== "HEAD") {
    refuse(session, response, 405, `${method} is not allowed for this path.`);
  } else if (method === "POST" && isLegacyRequest(request)) {
    createFromJson(session, request, response).catch((error: unknown) => fail(session, response, error));
  } else if (!isSame(request.headers[pushHeaders.secret], session.secret)) {
    refuse(session, response, 401, pushMessages.unauthorized);
  } else if (isOwnedByOther(session, request)) {
    if (isShared(request)) sendOffset(session, response, 409);
    else refuse(session, response, 409, pushMessages.taken);
  } else if (method === "HEAD") {
    session.renewTimeout();
    sendOffset(session, response, 200);
  } else {
    create(session, request, response).catch((error: unknown) => {
      request.resume();
      fail(session, response, error);
    });
  }
}

/** Removes the base path of a server behind an Ingress, which may have removed it itself. */
function pathBelow(basePath: string, path: string): string {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

function clientOf({ headers }: IncomingMessage): string {
  return String(headers[pushHeaders.client] ?? "");
}

/** Returns whether several clients may send the same contents, one of them at a time. */
function isShared({ headers }: IncomingMessage): boolean {
  return headers[pushHeaders.shared] === "true";
}

/**
 * Returns whether another client owns the session. Clients without an ID are indistinguishable, so such a client may reconnect
 * only when no request is sending.
 */
function isOwnedByOther({ client, sending }: PushSession, request: IncomingMessage): boolean {
  if (client === undefined) return false;
  if (isShared(request)) return client !== clientOf(request) && sending !== undefined;
  return client !== clientOf(request) || (client === "" && sending !== undefined);
}

async function create(session: PushSession, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { entries } = session;
  session.client = clientOf(request);
  session.renewTimeout();
  while (session.sending !== undefined) await session.sending.stop();
  const offset = /^\d{1,15}$/.exec(String(request.headers[pushHeaders.offset] ?? "0"))?.[0];
  if (offset === undefined) return refuse(session, response, 400, `${pushHeaders.offset} is not a number.`);
  if (Number(offset) !== entries.receivedBytes()) return sendOffset(session, response, 409);
  const missing = entries.totalBytes - entries.receivedBytes();
  if (Number(request.headers["content-length"] ?? 0) > missing)
    return refuse(session, response, 400, `Only ${missing} bytes are missing.`);
  const outcome = await receive(session, request);
  if (outcome === "too long") {
    return refuse(session, response, 400, `Only ${missing} bytes were missing.`);
  }
  if (!entries.isComplete()) return sendOffset(session, response, 204);
  acknowledge(session, response);
}

async function receive(session: PushSession, request: IncomingMessage): Promise<"complete" | "too long"> {
  const { entries } = session;
  let resolveStopped = () => {};
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve;
  });
  const sending: Sending = {
    stop() {
      request.destroy();
      return stopped;
    },
  };
  session.sending = sending;
  try {
    // An error response can only be sent while the request is open.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      session.renewTimeout();
      if (chunk.length > entries.totalBytes - entries.receivedBytes()) return "too long";
      await entries.write(chunk);
    }
    await entries.write(new Uint8Array());
    return "complete";
  } catch (error) {
    throw networkError(error, "the submitting client");
  } finally {
    resolveStopped();
    if (session.sending === sending) delete session.sending;
  }
}
