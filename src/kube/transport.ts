import type { StopSignal } from "../errors/stop-signal.ts";
/**
 * One HTTP exchange with a Kubernetes API, as data. A client takes a transport; the embedded API is one, so a whole
 * submission runs without a socket.
 *
 * @example
 * ```ts
 * const logged = (transport: Transport): Transport => (request) => {
 *   console.error(request.method, request.path);
 *   return transport(request);
 * };
 * ```
 */
export type Transport = (request: ApiRequest) => Promise<ApiResponse>;

/** A request to an API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  /** Path and query, e.g. `/api/v1/namespaces/default/pods?watch=true`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that are sent once for each of their values, e.g. `impersonate-group`. */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** Ends the exchange, a stream included. */
  readonly signal?: StopSignal;
}

/** Its answer, as soon as the headers are there. */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be read to its end, or aborted by the request's signal. */
  readonly body: AsyncIterable<Uint8Array>;
}
