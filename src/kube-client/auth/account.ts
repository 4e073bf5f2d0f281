import type { PemSource } from "./pem.ts";

/** Access data from one source (a kubeconfig's context, a pod's service account, the environment) says about access to an API. */
export interface Account {
  readonly namespace?: string | undefined;
  /** Possible sources of each, most important first. */
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
  /** The host name that the certificate must bear, when it is not that of the URL. */
  readonly serverName?: string | undefined;
  readonly proxy?: string | undefined;
  /** User to impersonate. */
  readonly impersonation?: Impersonation | undefined;
  /** Ms since 1970 from when on all this must be read anew. */
  readonly validUntil?: number | undefined;
}

/** Another user in whose name calls are made. Source: Kubernetes, "User impersonation". */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
