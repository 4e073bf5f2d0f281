import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { ClientCertificate } from "../api/access/client-certificate.ts";

/** Returns the certificate of a request's connection; `undefined` if the client has sent none. */
export function clientCertificate({ socket }: Pick<IncomingMessage, "socket">): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  // The type does not say that this is an empty object or null without a certificate.
  const certificate: Partial<ReturnType<TLSSocket["getPeerCertificate"]>> | null = socket.getPeerCertificate();
  if (certificate?.subject === undefined) return undefined;
  const { subject, fingerprint256 = "" } = certificate;
  const [commonName = ""] = listOf(subject.CN);
  return {
    isTrusted: socket.authorized,
    commonName,
    organizations: listOf(subject.O),
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
  };
}

/** Returns the values of an attribute, which is a list if there are several. */
function listOf(values: string | readonly string[] | undefined): readonly string[] {
  if (values === undefined) return [];
  return typeof values === "string" ? [values] : values;
}
