import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { connect, createSecureContext } from "node:tls";
import { messageOf, type SubmitError, submitError } from "../errors/submit-error.ts";
import { addressOf } from "../host/address.ts";
import { visibleText } from "../host/visible-text.ts";
import { certificateProblem } from "../net/tls-failure.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { isEncrypted } from "./encrypted-key.ts";
import type { TlsSettings } from "./tls-settings.ts";

/** Returns the error of settings that OpenSSL rejects; `undefined` if the authority is invalid, which then trusts no server. */
export function explainSettings(settings: TlsSettings, error: unknown): SubmitError | undefined {
  const { authority, certificate, key, keyPassphrase: passphrase } = settings;
  if (key !== undefined && isEncrypted(key) && throws(() => createSecureContext({ key, passphrase }))) {
    return submitError("SUBMIT_ERR_KUBE_AUTH_KEY", { hasPassphrase: passphrase !== undefined });
  }
  if (throws(() => createSecureContext({ ca: authority }))) return undefined;
  if (throws(() => createSecureContext({ cert: certificate })))
    return unusable("client certificate", certificate, error);
  if (throws(() => createSecureContext({ key, passphrase }))) return unusable("client key", key, error);
  const what = "pair of client certificate and client key";
  return submitError("SUBMIT_ERR_KUBE_AUTH_PEM", { what, reason: messageOf(error) });
}

/**
 * Explains a failed handshake: by an authority that is not a valid certificate, or by the certificate that the server presents.
 *
 * @param failure the error of the connection, which is returned if there is nothing to add
 */
export async function explainFailure(options: ConnectionOptions, failure: Error): Promise<Error> {
  const { authority } = options.tls;
  try {
    if (authority !== undefined) {
      createSecureContext({ ca: authority });
      new X509Certificate(authority);
    }
  } catch (error) {
    return unusable("certificate authority", authority, error);
  }
  // A name that does not match is in the message already, and a proxy may not permit another connection.
  const problem = certificateProblem(failure);
  if (problem === undefined || problem === "name" || options.proxy !== undefined) return failure;
  const presented = await fetchCertificate(options);
  return presented === undefined ? failure : Object.assign(failure, { message: `${failure.message} (${presented})` });
}

const limitMs = 2_000;

/** Connects again without verification, sends nothing, and describes the server's certificate. */
function fetchCertificate({ server, tls, clock }: ConnectionOptions): Promise<string | undefined> {
  const { host, port } = addressOf(server);
  return new Promise((resolve) => {
    const servername = tls.serverName ?? (isIP(host) === 0 ? host : undefined);
    const socket = connect({ host, port, rejectUnauthorized: false, ...(servername !== undefined && { servername }) });
    const end = (text?: string) => {
      cancel();
      socket.destroy();
      resolve(text);
    };
    const cancel = clock.after(limitMs, () => end());
    socket.on("error", () => end());
    socket.on("close", () => end());
    socket.once("secureConnect", () => {
      const certificate = socket.getPeerX509Certificate();
      end(certificate && describe(certificate));
    });
  });
}

/** Maximum length of a name in messages; certificates of others may have any. */
const maxNameLength = 200;

function describe({ subject, issuer, validFrom, validTo }: X509Certificate): string {
  const name = (text: string | undefined) =>
    visibleText((text ?? "none").split("\n").join(", ")).slice(0, maxNameLength);
  return `subject ${name(subject)}; issuer ${name(issuer)}; valid from ${validFrom} to ${validTo}`;
}

function unusable(what: string, text: string | undefined, error: unknown): SubmitError {
  const reason = pemFault(what, text ?? "") ?? messageOf(error);
  return submitError("SUBMIT_ERR_KUBE_AUTH_PEM", { what, reason });
}

/** Says why a text is not the expected PEM; `undefined` if it looks like it. */
function pemFault(what: string, text: string): string | undefined {
  if (text.trim() === "") return "it is empty";
  if (!text.includes("-----BEGIN ")) return "it is not PEM: it has no line -----BEGIN";
  const isKeyExpected = what === "client key";
  const hasKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text);
  const hasCertificate = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(text);
  if (isKeyExpected && !hasKey) return "it contains no private key";
  if (!isKeyExpected && !hasCertificate)
    return hasKey ? "it contains a private key, no certificate" : "it contains no certificate";
  return undefined;
}

function throws(make: () => unknown): boolean {
  try {
    make();
    return false;
  } catch {
    return true;
  }
}
