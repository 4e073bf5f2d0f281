import { isSubmitError, messageOf, type SubmitError, submitError } from "../errors/submit-error.ts";
import { statusOf } from "../kube/status.ts";

const neverSent = ["ECONNREFUSED", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
const cutOff = ["ECONNRESET", "EPIPE", "ECONNABORTED", "ETIMEDOUT", "ERR_STREAM_PREMATURE_CLOSE"];

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection closed",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ENOTFOUND: "the name is unknown",
  EAI_AGAIN: "the name could not be looked up",
  ETIMEDOUT: "connection timed out",
  ENOTCONN: "connection timed out",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; is it an http:// address?",
};

/** Whether a request that failed so may be sent once more: what arrived may have been done, so a POST may not. */
export function isConnectionLost(error: unknown, method: string): boolean {
  const code = codeOf(error);
  return neverSent.includes(code) || (cutOff.includes(code) && (method !== "POST" || isUnseen(error)));
}

/** What a failure below HTTP amounts to. `failed` says what failed because of it. */
export function networkError(error: unknown, server: string, failed = "An error has occurred."): SubmitError {
  if (isSubmitError(error)) return error;
  const code = codeOf(error);
  const said = messageOf(error);
  if (isCertificateCode(code)) {
    return submitError("SUBMIT_ERR_KUBE_CERTIFICATE", { server, reason: said }, { cause: error });
  }
  const known = reasons[code];
  const advice = cutOff.includes(code) && server.startsWith("http:") ? "; is it an https:// address?" : "";
  const reason = known === undefined ? said : `${known} (${said})${advice}`;
  return submitError("SUBMIT_ERR_KUBE_UNREACHABLE", { server, reason, failed }, { cause: error });
}

/** The error of a connection that did not stand in time. */
export function noConnection(limitMs: number): Error {
  return Object.assign(new Error(`no connection after ${limitMs} ms`), { code: "ENOTCONN" });
}

/** Marks the error of a request whose connection never stood: nobody has seen it. */
export function unseen(error: Error): Error {
  return Object.assign(error, { isUnseen: true });
}

/** True for such an error. */
export function isUnseen(error: unknown): boolean {
  return error instanceof Error && "isUnseen" in error;
}

/** Whether the server may have done what a call asked for, although the call failed. */
export function mayHaveArrived(error: unknown): boolean {
  if (!isSubmitError(error)) return false;
  if (error.code === "SUBMIT_ERR_INTERRUPTED") return error.cause !== undefined;
  if (error.code === "SUBMIT_ERR_KUBE_TIMEOUT" || error.code === "SUBMIT_ERR_KUBE_ANSWER") return true;
  if (error.code === "SUBMIT_ERR_KUBE_UNREACHABLE") {
    return cutOff.includes(codeOf(error.cause)) && !isUnseen(error.cause);
  }
  return (statusOf(error)?.code ?? 0) >= 500;
}

/** OpenSSL's verdicts on a chain, as Node names them. */
function isCertificateCode(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET|ALTNAME/.test(code);
}

/** Node's code of a system error, e.g. `ECONNREFUSED`; of several addresses tried, that of the first. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : "";
}
