import type { SecureContext } from "node:tls";
import { messageOf, submitError } from "../errors/submit-error.ts";

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
  const [{ createSecureContext }, { X509Certificate }] = await Promise.all([
    import("node:tls"),
    import("node:crypto"),
  ]);
  const { authority, certificate, key, keyPassphrase: passphrase } = settings;
  // OpenSSL passes over in silence what is no certificate, and then trusts no server.
  const checkAuthority = () => authority !== undefined && new X509Certificate(authority);
  try {
    checkAuthority();
    return createSecureContext({ ca: authority, cert: certificate, key, passphrase });
  } catch (error) {
    const { isEncrypted } = await import("./encrypted-key.ts");
    if (key !== undefined && isEncrypted(key) && isRefused(() => createSecureContext({ key, passphrase }))) {
      throw submitError("SUBMIT_ERR_KUBE_AUTH_KEY", { isPassphraseGiven: passphrase !== undefined });
    }
    // Once more, one by one, only to tell which of them it is.
    const parts = [
      { what: "certificate authority", make: checkAuthority },
      { what: "client certificate", make: () => createSecureContext({ cert: certificate }) },
      { what: "client key", make: () => createSecureContext({ key, passphrase }) },
    ];
    const what =
      parts.find(({ make }) => isRefused(make))?.what ?? "pair of client certificate and client key";
    const reason = messageOf(error);
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
