import { messageOf } from "../errors/message-of.ts";
import { certificateProblem, handshakeFailure } from "./tls-failure.ts";

/** Description of a failed request. */
export interface FailureReason {
  readonly reason: string;
  /** Instruction for a failure of TLS. */
  readonly advice?: string;
}

const certificateAdvice = {
  name: "Use an address of the server that its certificate contains, or correct the certificate.",
  time: "Compare the clock of this machine with the dates of the server's certificate, and renew the certificate.",
  weak: "Give the server a certificate with a stronger key.",
  authority: "To trust the authority of the server's certificate, set NODE_EXTRA_CA_CERTS=FILE.pem.",
} as const;

/**
 * Describes why a request of a client without own TLS settings failed.
 *
 * Node's message of a failed handshake has OpenSSL's function names and source lines, which are left out.
 */
export function failureReason(error: unknown): FailureReason {
  const problem = certificateProblem(error);
  if (problem !== undefined) return { reason: messageOf(error), advice: certificateAdvice[problem] };
  const handshake = handshakeFailure(error);
  if (handshake === undefined) return { reason: messageOf(error) };
  const { kind, reason } = handshake;
  if (kind === "noTls") return { reason, advice: "Write http:// if the server does not use TLS." };
  const advice = "Check which versions of TLS, ciphers and client certificates the server accepts.";
  return { reason: `the TLS handshake failed: ${reason}`, advice };
}
