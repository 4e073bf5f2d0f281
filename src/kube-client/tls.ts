import type { SecureContext } from "node:tls";
import { messageOf, type SubmitError, submitError } from "../errors/submit-error.ts";

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

/** Text that is not PEM. OpenSSL ignores it, so that no authority is trusted. */
const noAuthority = "none";

/** Parses keys and authorities once for all connections. @throws SUBMIT_ERR_KUBE_AUTH_PEM */
export async function secureContext(settings: TlsSettings): Promise<SecureContext> {
  const { createSecureContext } = await import("node:tls");
  const { authority, certificate, key, keyPassphrase: passphrase } = settings;
  try {
    return createSecureContext({ ca: authority, cert: certificate, key, passphrase });
  } catch (error) {
    const { isEncrypted } = await import("./encrypted-key.ts");
    if (key !== undefined && isEncrypted(key) && throws(() => createSecureContext({ key, passphrase }))) {
      throw submitError("SUBMIT_ERR_KUBE_AUTH_KEY", { hasPassphrase: passphrase !== undefined });
    }
    // An authority that is not a valid certificate trusts no server.
    if (throws(() => createSecureContext({ ca: authority })))
      return secureContext({ ...settings, authority: noAuthority });
    // Parse each part alone to find the invalid one.
    const parts = [
      { what: "client certificate", make: () => createSecureContext({ cert: certificate }) },
      { what: "client key", make: () => createSecureContext({ key, passphrase }) },
    ];
    const what = parts.find(({ make }) => throws(make))?.what ?? "pair of client certificate and client key";
    throw unusable(what, error);
  }
}

/**
 * Returns a better error if the authority is not a valid certificate, else the same error. Checking the authority
 * beforehand would cost each submission 1 ms.
 */
export async function explainRejection({ authority }: TlsSettings, failure: Error): Promise<Error> {
  if (authority === undefined) return failure;
  const [{ X509Certificate }, { createSecureContext }] = await Promise.all([import("node:crypto"), import("node:tls")]);
  try {
    createSecureContext({ ca: authority });
    new X509Certificate(authority);
    return failure;
  } catch (error) {
    return unusable("certificate authority", error);
  }
}

function unusable(what: string, error: unknown): SubmitError {
  return submitError("SUBMIT_ERR_KUBE_AUTH_PEM", { what, reason: messageOf(error) });
}

function throws(make: () => unknown): boolean {
  try {
    make();
    return false;
  } catch {
    return true;
  }
}
