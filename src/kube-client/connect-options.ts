import type { Log } from "../host/log.ts";
import type { UserAccess } from "./auth/user-access.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import type { HttpTransport } from "./http.ts";

/**
 * Connection options of a submission's API.
 *
 * @example
 * ```ts
 * const connection: ConnectOptions = {
 *   server: "https://203.0.113.7:6443",
 *   log: () => {},
 *   requestTimeoutMs: 10_000,
 *   connectionTimeoutMs: 10_000,
 *   access: { kind: "known", authority: pem, token },
 * };
 * ```
 */
export interface ConnectOptions {
  /** The master's URL without `k8s://`, e.g. `https://10.0.0.1:6443`; a path is kept. */
  readonly server: string;
  readonly log: Log;
  /** Time limit until a response is complete; 0: no limit. */
  readonly requestTimeoutMs: number;
  /** Time limit for connecting; 0: no limit. */
  readonly connectionTimeoutMs: number;
  readonly access: UserAccess | KnownAccess;
}

/** Known credentials, such as those of the embedded cluster. No other source is read. */
export interface KnownAccess {
  readonly kind: "known";
  /** PEM. */
  readonly authority: string;
  readonly token: string;
  /** Called after a read without a response; throws if the server's process has ended. @default not checked */
  readonly requireRunning?: (() => void) | undefined;
}

/** Creates the transport to a server. */
export type OpenTransport = (options: ConnectionOptions) => Promise<HttpTransport>;
