import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../errors/message-of.ts";
import { pushHeaders, pushMessages } from "../../staging-client/push.ts";
import { networkError } from "../localize-error.ts";
import { contentsOf, parseLegacyRequest } from "./legacy-request.ts";
import { acknowledge, refuse } from "./push-responses.ts";
import { isSame, type PushSession } from "./push-session.ts";

/** Returns whether a request is of the 2017 protocol, whose secret is in the body instead of a header. */
export function isLegacyRequest({ headers }: IncomingMessage): boolean {
  return headers[pushHeaders.secret] === undefined && headers["content-type"]?.startsWith("application/json") === true;
}

/** Limits the memory for a request that is not authenticated yet. Larger contents must use the streaming request. */
const maxLegacyRequestBytes = 16 * 1024 * 1024;

/** Receives all contents from one JSON body. Rejects concurrent requests of this kind. */
export async function createFromJson(
  session: PushSession,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (session.isReading === true) return refuse(response, 503, "Another request is being read.");
  session.isReading = true;
  try {
    const text = await readLimited(request);
    if (text !== undefined) return await receiveLegacyRequest(session, text, response);
    request.resume();
    refuse(response, 413, `The request is larger than ${maxLegacyRequestBytes} bytes: send the contents as a stream.`);
  } finally {
    session.isReading = false;
  }
}

async function receiveLegacyRequest(session: PushSession, text: string, response: ServerResponse): Promise<void> {
  const { entries } = session;
  const legacy = parseLegacyRequest(text);
  if (typeof legacy === "string") return refuse(response, 400, `Malformed request: ${legacy}`);
  // Authenticate the client before unpacking its archives.
  if (!isSame(legacy.secret, Buffer.from(session.secret).toString("base64")))
    return refuse(response, 401, pushMessages.unauthorized);
  const contents = await contentsOf(legacy, entries.entries).catch((error: unknown) => messageOf(error));
  if (typeof contents === "string") return refuse(response, 400, `Malformed request: ${contents}`);
  if (session.client !== undefined) return refuse(response, 409, pushMessages.taken);
  session.client = "";
  session.renewTimeout();
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
      if (size > maxLegacyRequestBytes) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    throw networkError(error, "the submitting client");
  }
  return Buffer.concat(chunks).toString("utf8");
}
