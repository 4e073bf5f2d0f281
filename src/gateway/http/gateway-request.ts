import type { IncomingHttpHeaders } from "node:http";
import type { Permissions } from "../model/permissions.ts";

/** User of a request. */
export interface Principal {
  /** `undefined` without authentication. */
  readonly user: string | undefined;
  readonly groups: readonly string[];
  /** Identity of a user of Kubernetes, besides name and groups. */
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A request after authentication. */
export interface GatewayRequest {
  readonly method: string;
  /** Path without query and prefix, as it was sent: nothing is decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly principal: Principal;
  readonly permissions: Permissions;
  /** Reads the body. @throws BodyError if it is too large or the client stops sending */
  readonly readBody: () => Promise<Buffer>;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Span of the request, as a parent of others. @default none is recorded */
  readonly traceparent?: string | undefined;
}

/** A response. A stream is written as fast as the client reads. */
export interface GatewayResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** A request that cannot be served, before a protocol sees it. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One protocol. */
export interface HttpProtocol {
  /** For metrics. */
  readonly name: string;
  /** Whether a path without prefix belongs to the protocol. */
  readonly owns: (path: string) => boolean;
  /** Responds. Throws BodyError; every other failure is a response. */
  readonly respond: (request: GatewayRequest) => Promise<GatewayResponse>;
  /** Returns the protocol's form of a rejection. */
  readonly reject: (rejection: Rejection) => GatewayResponse;
}
