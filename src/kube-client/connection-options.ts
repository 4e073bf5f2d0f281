import type { Socket } from "node:net";
import type { Clock } from "../host/host.ts";
import type { TlsSettings } from "./tls.ts";

/** Where connections go, and how. */
export interface ConnectionOptions {
  readonly server: URL;
  readonly tls: TlsSettings;
  readonly proxy?: URL | undefined;
  /** Until a connection stands, its encryption included; 0: no limit. */
  readonly connectionTimeoutMs: number;
  readonly clock: Clock;
}

/** Opens one connection; the socket may come before it stands. */
export type Connect = (opened: (error: Error | null, socket?: Socket) => void) => void;
