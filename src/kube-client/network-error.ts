import { isSubmitError, messageOf, type SubmitError, submitError } from "../errors/submit-error.ts";
import { statusOf } from "../kube/status.ts";
import { failedProxyOf } from "../net/proxy/proxy-failure.ts";
import type { RepeatsCutOff } from "./retry.ts";

const neverSent = ["ECONNREFUSED", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EPROXYBUSY"];
const cutOffCodes = ["ECONNRESET", "EPIPE", "ECONNABORTED", "ETIMEDOUT", "ERR_STREAM_PREMATURE_CLOSE"];

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
};

/** OpenSSL's errors for a server that does not use TLS. */
const noTls = ["wrong version number", "packet length too long", "unknown protocol", "http request"];

/** Returns whether a request can be sent again after this failure. A POST that was cut off may have taken effect, so only `always` repeats it. */
export function isConnectionLost(error: unknown, method: string, repeats: RepeatsCutOff = "unlessPost"): boolean {
  const code = codeOf(error);
  const isRepeated = repeats === "always" || (repeats === "unlessPost" && method !== "POST");
  return neverSent.includes(code) || (cutOffCodes.includes(code) && (isRepeated || isUnseen(error)));
}

/** Returns whether an open connection was closed or timed out. */
export function isCutOff(error: unknown): boolean {
  return cutOffCodes.includes(codeOf(error));
}

/** Converts a failure below HTTP to an error. `failed` names the operation that failed. */
export function networkError(error: unknown, server: string, failed = "An error has occurred."): SubmitError {
  if (isSubmitError(error)) return error;
  const code = codeOf(error);
  const message = messageOf(error);
  const known = reasons[code];
  const proxy = failedProxyOf(error);
  if (proxy !== undefined) {
    const reason = known === undefined ? message : `${known} (${message})`;
    return submitError("SUBMIT_ERR_KUBE_PROXY_FAILED", { ...proxy, server, reason }, { cause: error });
  }
  const openSsl = openSslReason(code, message);
  const [, alert] = /\balert (.+)$/.exec(openSsl) ?? [];
  if (alert !== undefined && /certificate|unknown ca|access denied|decrypt/.test(alert)) {
    return submitError("SUBMIT_ERR_KUBE_CLIENT_CERTIFICATE", { server, reason: alert }, { cause: error });
  }
  if (noTls.includes(openSsl)) {
    const reason = "it does not speak TLS; is it an http:// address?";
    return submitError("SUBMIT_ERR_KUBE_UNREACHABLE", { server, reason }, { cause: error });
  }
  if (openSsl !== "") {
    return submitError("SUBMIT_ERR_KUBE_HANDSHAKE", { server, reason: alert ?? openSsl }, { cause: error });
  }
  const problem = certificateProblem(error);
  if (problem !== undefined) {
    return submitError("SUBMIT_ERR_KUBE_CERTIFICATE", { server, reason: message, problem }, { cause: error });
  }
  const advice = cutOffCodes.includes(code) && server.startsWith("http:") ? "; is it an https:// address?" : "";
  const reason = known === undefined ? message : `${known} (${message})${advice}`;
  return submitError("SUBMIT_ERR_KUBE_UNREACHABLE", { server, reason, failed }, { cause: error });
}

/** Marks the error of a request that was never sent. */
export function unseen(error: Error): Error {
  return Object.assign(error, { isUnseen: true });
}

/** Returns whether `unseen` marked this error. */
export function isUnseen(error: unknown): boolean {
  return error instanceof Error && "isUnseen" in error;
}

/** Returns whether a failed call may have taken effect on the server. */
export function mayHaveArrived(error: unknown): boolean {
  if (!isSubmitError(error)) return false;
  if (error.code === "SUBMIT_ERR_INTERRUPTED") return error.cause !== undefined;
  if (error.code === "SUBMIT_ERR_KUBE_TIMEOUT" || error.code === "SUBMIT_ERR_KUBE_RESPONSE") return true;
  if (error.code === "SUBMIT_ERR_KUBE_UNREACHABLE") {
    return cutOffCodes.includes(codeOf(error.cause)) && !isUnseen(error.cause);
  }
  return (statusOf(error)?.code ?? 0) >= 500;
}

/** E.g. `wrong version number`. Node has it in the code, or, with EPROTO, somewhere in the message. */
function openSslReason(code: string, message: string): string {
  if (code.startsWith("ERR_SSL_")) return code.slice("ERR_SSL_".length).replaceAll("_", " ").toLowerCase();
  return /:SSL routines:[^:]*:([^:\n]+)/.exec(message)?.[1] ?? "";
}

/** Returns why a server's certificate was rejected; `undefined` for other errors. Source: Node.js, "X509 certificate error codes". */
export function certificateProblem(error: unknown): "name" | "time" | "weak" | "authority" | undefined {
  const code = codeOf(error);
  if (/too (weak|small)/.test(messageOf(error))) return "weak";
  if (
    !/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET|ALTNAME|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH/.test(
      code,
    )
  )
    return undefined;
  if (/ALTNAME|HOSTNAME/.test(code)) return "name";
  return /CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(code) ? "time" : "authority";
}

/** Node's code of a system error, e.g. `ECONNREFUSED`; of several addresses tried, that of the first. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : "";
}
