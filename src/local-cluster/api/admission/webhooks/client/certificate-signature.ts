import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/**
 * The problem that OpenSSL reports for a certificate with the same subject and issuer, even if another key has signed it. Operators that
 * make their own authority use one name for both. Go, and so Kubernetes, verifies the signature.
 */
export const takenForSelfSigned = "DEPTH_ZERO_SELF_SIGNED_CERT";

interface Verified {
  readonly certificate: X509Certificate;
  /** Host name or IP address. */
  readonly servername: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Whether one of the authorities, given as PEM, has signed a certificate, and both are valid now, the certificate for this server. */
export function isSignedByOneOf(authorities: readonly string[], { certificate, servername, now }: Verified): boolean {
  const isFor = isIP(servername) === 0 ? certificate.checkHost(servername) : certificate.checkIP(servername);
  if (isFor === undefined || !isValidAt(certificate, now)) return false;
  return authorities
    .map((pem) => new X509Certificate(pem))
    .some(
      (authority) =>
        authority.ca &&
        authority.subject === certificate.issuer &&
        isValidAt(authority, now) &&
        certificate.verify(authority.publicKey),
    );
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}
