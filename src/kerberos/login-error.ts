import { submitError } from "../errors/submit-error.ts";

/** Builds the error of a failed login from the message of libkrb5. */
export function loginError(of: string, message: string, cause?: unknown): Error {
  return submitError("SUBMIT_ERR_KERBEROS_LOGIN", { of, reason: reasonIn(message) }, { cause });
}

/** General sentences of GSSAPI and of `kinit` around the cause. */
const general = [
  /^[\s\S]*Minor code may provide more information(?: \(|: )/,
  /^No credentials were supplied, or the credentials were unavailable or inaccessible(?: \(|: )/,
  /^kinit: /,
  / while getting initial credentials$/,
];

/** Returns the part of a message that names the cause. */
function reasonIn(message: string): string {
  const [line = ""] = message.trim().split(/\s*\n/, 1);
  const cause = general.reduce((text, pattern) => text.replace(pattern, ""), line);
  const isClosed = cause.includes("(") || !cause.endsWith(")");
  return (isClosed ? cause : cause.slice(0, -1)).replace(/\.$/, "");
}
