/** OpenSSL's errors for a server that does not use TLS. */
const noTls = ["wrong version number", "packet length too long", "unknown protocol", "http request"];

/** A failed TLS handshake. */
export interface TlsFailure {
  /** E.g. `certificate required`. */
  readonly reason: string;
  /** `alert`: the server's last message; `noTls`: the server does not use TLS; `other`: OpenSSL's error. */
  readonly kind: "alert" | "noTls" | "other";
}

/** Returns OpenSSL's reason of a failure. Node has it in the code, or, with EPROTO, somewhere in the message. */
export function handshakeFailure(error: unknown): TlsFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const reason = code.startsWith("ERR_SSL_")
    ? code.slice("ERR_SSL_".length).replaceAll("_", " ").toLowerCase()
    : /:SSL routines:[^:]*:([^:\n]+)/.exec(error.message)?.[1];
  if (reason === undefined) return undefined;
  if (noTls.includes(reason)) return { kind: "noTls", reason: "it does not speak TLS; is it an http:// address?" };
  const [, alert] = /\balert (.+)$/.exec(reason) ?? [];
  return alert === undefined ? { kind: "other", reason } : { kind: "alert", reason: alert };
}

/** Returns why a server's certificate was rejected; `undefined` for other errors. Source: Node.js, "X509 certificate error codes". */
export function certificateProblem(error: unknown): "name" | "time" | "weak" | "authority" | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  // An alert about a client's certificate.
  if (code.startsWith("ERR_SSL_")) return undefined;
  if (/too (weak|small)/.test(error.message)) return "weak";
  if (/ALTNAME|HOSTNAME_MISMATCH/.test(code)) return "name";
  if (/CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(code)) return "time";
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET|INVALID_(CA|PURPOSE)|PATH_LENGTH/.test(code)
    ? "authority"
    : undefined;
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : "";
}
