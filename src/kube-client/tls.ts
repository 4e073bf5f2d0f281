import type { SecureContext } from "node:tls";
import { submitError } from "../errors/submit-error.ts";

/** Whom we trust, and who we are, in a TLS connection. Texts are PEM. */
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

/** Keys and authorities, read once for all connections. @throws SUBMIT_ERR_KUBE_AUTH_PEM */
export async function secureContext(settings: TlsSettings): Promise<SecureContext> {
  const { createSecureContext } = await import("node:tls");
  const { authority, certificate, key, keyPassphrase } = settings;
  const parts = [
    { what: "certificate authority", options: { ca: authority } },
    { what: "client certificate", options: { cert: certificate } },
    { what: "client key", options: { key, passphrase: keyPassphrase } },
  ];
  try {
    return createSecureContext(Object.assign({}, ...parts.map(({ options }) => options)));
  } catch (error) {
    // Once more, one by one, only to tell which of them it is.
    const bad = parts.find(({ options }) => isRefused(() => createSecureContext(options)));
    const reason = error instanceof Error ? error.message : String(error);
    const what = bad?.what ?? "client key, which must belong to the client certificate,";
    throw submitError("SUBMIT_ERR_KUBE_AUTH_PEM", { what, reason });
  }
}

function isRefused(make: () => unknown): boolean {
  try {
    make();
    return false;
  } catch {
    return true;
  }
}
