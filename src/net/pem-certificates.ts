/** Returns the certificates in a text in the PEM format, each with its first and last line. Source: RFC 7468. */
export function pemCertificates(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}
