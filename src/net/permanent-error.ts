import { certificateProblem, handshakeFailure } from "./tls-failure.ts";

/** Returns whether a network error is permanent: waiting fixes neither certificates nor the permissions of a proxy. */
export function isPermanent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return isTlsFailure(error) || /ISSUER|ERR_TLS|EPROTO|ERR_INVALID|^EPROXY$/.test(code);
}

/** Returns whether the server's certificate or the handshake is the reason of a failure. */
export function isTlsFailure(error: unknown): boolean {
  return certificateProblem(error) !== undefined || handshakeFailure(error) !== undefined;
}
