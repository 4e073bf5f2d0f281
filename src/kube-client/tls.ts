import type { SecureContext } from "node:tls";
import type { TlsSettings } from "./tls-settings.ts";

/** Text that is not PEM. OpenSSL ignores it, so that no authority is trusted. */
const noAuthority = "none";

/** Parses keys and authorities once for all connections. @throws SUBMIT_ERR_KUBE_AUTH_PEM */
export async function secureContext(settings: TlsSettings): Promise<SecureContext> {
  const { createSecureContext } = await import("node:tls");
  const { authority, certificate, key, keyPassphrase: passphrase } = settings;
  try {
    return createSecureContext({ ca: authority, cert: certificate, key, passphrase });
  } catch (error) {
    const { explainSettings } = await import("./explain-tls.ts");
    const explained = explainSettings(settings, error);
    if (explained !== undefined) throw explained;
    // An authority that is not a valid certificate trusts no server.
    return secureContext({ ...settings, authority: noAuthority });
  }
}
