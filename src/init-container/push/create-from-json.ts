import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../errors/message-of.ts";
import { BodyError, type BodyLimits, readBody } from "../../http/message-body.ts";
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
/** Limits how long a client that is not authenticated yet keeps others from sending such a request. */
const legacyRate = { idleMs: 10_000, minBytesPerSecond: 128 * 1024 };

/** Receives all contents from one JSON body. Rejects concurrent requests of this kind. */
export async function createFromJson(
  session: PushSession,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (session.isReading === true) return refuse(session, response, 503, "Another request is being read.");
  session.isReading = true;
  try {
    const limits = { ...legacyRate, maxBytes: maxLegacyRequestBytes, clock: session.clock };
    const body = await readLimited({ request, response }, limits);
    if (typeof body !== "string") return await receiveLegacyRequest(session, body, response);
    if (body === "idle") return refuse(session, response, 408, "The request is too slow.");
    refuse(
      session,
      response,
      413,
      `The request is larger than ${maxLegacyRequestBytes} bytes: send the contents as a stream.`,
    );
  } finally {
    session.isReading = false;
  }
}

async function receiveLegacyRequest(session: PushSession, body: Buffer, response: ServerResponse): Promise<void> {
  const { entries } = session;
  const legacy = parseLegacyRequest(body);
  if (typeof legacy === "string") return refuse(session, response, 400, `Malformed request: ${legacy}`);
  // Authenticate the client before unpacking its archives.
  if (!isSame(legacy.secret, Buffer.from(session.secret).toString("base64")))
    return refuse(session, response, 401, pushMessages.unauthorized);
  const contents = await contentsOf(legacy, entries.entries).catch((error: unknown) => messageOf(error));
  if (typeof contents === "string") return refuse(session, response, 400, `Malformed request: ${contents}`);
  if (session.client !== undefined) return refuse(session, response, 409, pushMessages.taken);
  session.client = "";
  session.renewTimeout();
  for (const content of contents) await entries.write(content);
  await entries.write(new Uint8Array());
  acknowledge(session, response);
}

/** Reads a body, or returns why it exceeds the limits. @throws LocalizeError if the connection ends */
async function readLimited(
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
  limits: BodyLimits,
): Promise<Buffer | "tooLarge" | "idle"> {
  const pieces: Uint8Array[] = [];
  try {
    await readBody(exchange, limits, (piece) => {
      pieces.push(piece);
      return undefined;
    });
    return Buffer.concat(pieces);
  } catch (error) {
    if (error instanceof BodyError && error.kind !== "cut") return error.kind;
    throw networkError(error, "the submitting client");
  }
}
