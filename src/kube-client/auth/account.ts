import type { PemSource } from "./pem.ts";

/** Access data from one source: a kubeconfig's context, a pod's service account, or the environment. */
export interface Account {
  readonly namespace?: string | undefined;
  /** Possible sources, most important first. The same holds for `certificate` and `key`. */
  readonly authority?: readonly PemSource[];
  readonly certificate?: readonly PemSource[];
  readonly key?: readonly PemSource[];
  readonly keyPassphrase?: string | undefined;
  readonly token?: string | undefined;
  readonly basic?: { readonly user: string; readonly password: string } | undefined;
  /** Accept any certificate of the server. */
  readonly trustsAll?: boolean;
  /** Accept a certificate of another host name. */
  readonly ignoresHostName?: boolean;
  /** Host name that the certificate must have. @default the host of the URL */
  readonly serverName?: string | undefined;
  readonly proxy?: string | undefined;
  /** User to impersonate. */
  readonly impersonation?: Impersonation | undefined;
  /** Time at which the account must be read again, in ms since 1970. */
  readonly validUntil?: number | undefined;
}

/** User whose permissions the calls use. Source: Kubernetes, "User impersonation". */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
