import * as v from "valibot";
import { lengthOf, readBody, type TakePiece } from "../../http/message-body.ts";
import type { HttpExchange } from "../../http/serve.ts";
import { Problem } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";
import { parseJson } from "../store/bundle-record.ts";

/** A request to the API. */
export interface ApiCall extends HttpExchange {
  readonly requestId: string;
  /** Path parameters, by the names in the route. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Response of a route; absent if the route has already sent it. */
export interface ApiResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

/** Handler of a route. @throws Problem */
export type ApiAction = (scope: ServerScope, call: ApiCall) => Promise<ApiResponse | undefined>;

/** Returns the value of a header. */
export function header({ request }: ApiCall, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Returns the bearer token of a header; `undefined` for other schemes. */
export function bearer(call: ApiCall, name: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header(call, name) ?? "")?.[1];
}

/** Returns a reader of the request's body, which counts the bytes. The reader throws the errors of `readBody`. */
export function bytesOf(
  { host, options, metrics }: ServerScope,
  call: ApiCall,
  maxBytes: number,
): (take: TakePiece) => Promise<void> {
  const limits = { maxBytes, idleMs: options.times.bodyIdleMs, clock: host.clock };
  return (take) =>
    readBody(call, limits, (piece) => {
      metrics.received(piece.length);
      return take(piece);
    });
}

const maxJsonBytes = 8 * 1024 * 1024;

/**
 * Reads and validates a JSON body.
 *
 * @throws Problem BAD_REQUEST with all invalid fields, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 */
export async function jsonOf<S extends v.GenericSchema>(
  scope: ServerScope,
  call: ApiCall,
  shape: S,
): Promise<v.InferOutput<S>> {
  const type = header(call, "content-type") ?? "application/json";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", `The body must be application/json instead of ${type}.`);
  }
  if (lengthOf(call.request) > maxJsonBytes) {
    throw new Problem("TOO_LARGE", `The JSON body exceeds ${maxJsonBytes} bytes.`);
  }
  const pieces: Uint8Array[] = [];
  await bytesOf(
    scope,
    call,
    maxJsonBytes,
  )((piece) => {
    pieces.push(piece);
    return undefined;
  });
  return parseShape(shape, Buffer.concat(pieces).toString("utf8"), "The body");
}

/** Parses and validates JSON. `what` names the text in messages. @throws Problem BAD_REQUEST with all invalid fields */
export function parseShape<S extends v.GenericSchema>(shape: S, text: string, what: string): v.InferOutput<S> {
  const json = parseJson(text);
  if (json === undefined) throw new Problem("BAD_REQUEST", `${what} is not JSON.`);
  const parsed = v.safeParse(shape, json);
  if (parsed.success) return parsed.output;
  const reasons = parsed.issues.map((found) => {
    const path = v.getDotPath(found);
    return path === null ? found.message : `${path}: ${found.message}`;
  });
  throw new Problem("BAD_REQUEST", `${what} is invalid. ${reasons.join("; ")}`);
}
