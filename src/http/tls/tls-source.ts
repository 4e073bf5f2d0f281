import type { TlsOptions } from "node:tls";

/** Reloadable source of certificate and key. */
export interface TlsSource {
  /** Reads the current certificate and key. @throws Error with the reason why they cannot be used */
  readonly read: () => TlsOptions;
  readonly reloadEveryMs: number;
}
