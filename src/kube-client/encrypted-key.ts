/** Whether a key is under a pass phrase. Source: RFC 5958 (PKCS 8), RFC 1421, 4.6.1.1 (traditional keys). */
export function isEncrypted(pem: string): boolean {
  return /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem);
}
