import { submitError } from "../errors/submit-error.ts";

/** Builds the error of a failed login from the message of libkrb5. */
export function loginError(of: string, message: string, cause?: unknown): Error {
  return submitError("SUBMIT_ERR_KERBEROS_LOGIN", { of, reason: reasonIn(message) }, { cause });
}

/** Returns the part of a message that names the cause: GSSAPI prefixes it with a general sentence. */
function reasonIn(message: string): string {
  const [, detail] = /Minor code may provide more information(?: \(|: )([\s\S]*)/.exec(message) ?? [];
  const text = (detail ?? message).replace(/^\w+: /, "").trim();
  const line = text.split("\n", 1)[0] ?? "";
  return detail === undefined ? line : line.replace(/\)$/, (end) => (line.includes("(") ? end : ""));
}
