import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../errors/message-of.ts";
import { pushHeaders, pushMessages } from "../../staging-client/push.ts";
import { networkError } from "../localize-error.ts";
import { contentsOf, parseOldRequest } from "./old-request.ts";
import { acknowledge, refuse } from "./push-responses.ts";
import { isSame, type PushSession } from "./push-session.ts";

/** A client of 2017 has its secret within the body. */
export function isOldRequest({ headers }: IncomingMessage): boolean {
  return (
    headers[pushHeaders.secret] === undefined &&
    headers["content-type"]?.startsWith("application/json") === true
  );
}

/** It is held in memory before it is known who sends it; larger contents come as a stream. */
const oldRequestLimitBytes = 16 * 1024 * 1024;

/** Takes an application whose contents come in one JSON, one at a time. */
export async function createFromJson(
  session: PushSession,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (session.isReading === true) return refuse(response, 503, "Another request is being read.");
  session.isReading = true;
  try {
    const text = await readLimited(request);
    if (text !== undefined) return await take(session, text, response);
    request.resume();
    refuse(response, 413, "Larger contents are sent as a stream.");
  } finally {
    session.isReading = false;
  }
}

async function take(session: PushSession, text: string, response: ServerResponse): Promise<void> {
  const { entries } = session;
  const old = parseOldRequest(text);
  if (typeof old === "string") return refuse(response, 400, `Malformed request: ${old}`);
  // Whoever sends archives must be known before they are unpacked.
  if (!isSame(old.secret, Buffer.from(session.secret).toString("base64")))
    return refuse(response, 401, pushMessages.unauthorized);
  const contents = await contentsOf(old, entries.entries).catch((error: unknown) => messageOf(error));
  if (typeof contents === "string") return refuse(response, 400, `Malformed request: ${contents}`);
  if (session.client !== undefined) return refuse(response, 409, pushMessages.taken);
  session.client = "";
  session.moved();
  for (const content of contents) await entries.write(content);
  await entries.write(new Uint8Array());
  acknowledge(session, response);
}

async function readLimited(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > oldRequestLimitBytes) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    throw networkError(error, "the submitting client");
  }
  return Buffer.concat(chunks).toString("utf8");
}
