import type { Clock } from "../host/host.ts";
import type { TlsSettings } from "./tls-settings.ts";

/** Target and options of connections. */
export interface ConnectionOptions {
  readonly server: URL;
  readonly tls: TlsSettings;
  readonly proxy?: URL | undefined;
  /** Time limit for connecting, including the TLS handshake; 0: no limit. */
  readonly connectionTimeoutMs: number;
  readonly clock: Clock;
}
