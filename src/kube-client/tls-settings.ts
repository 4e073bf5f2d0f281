/** Trusted authorities and client identity of a TLS connection. Texts are PEM. */
export interface TlsSettings {
  /** @default the system's authorities */
  readonly authority?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly keyPassphrase?: string | undefined;
  /** Accept any certificate of the server. */
  readonly trustsAll: boolean;
  /** Accept a certificate of another host name. */
  readonly ignoresHostName: boolean;
  /** The host name that the certificate must bear, when it is not that of the URL. */
  readonly serverName?: string | undefined;
}
