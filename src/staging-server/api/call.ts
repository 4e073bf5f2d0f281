import { type BodyLimits, readBody, type TakePiece } from "../../http/message-body.ts";
import type { HttpExchange } from "../../http/serve.ts";
import type { ServerScope } from "../context/scope.ts";

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
  size: Pick<BodyLimits, "maxBytes" | "minBytesPerSecond">,
): (take: TakePiece) => Promise<void> {
  const limits = { ...size, idleMs: options.times.bodyIdleMs, clock: host.clock };
  return (take) =>
    readBody(call, limits, (piece) => {
      metrics.received(piece.length);
      return take(piece);
    });
}
