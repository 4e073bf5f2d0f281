import { isSubmitError, messageOf, type SubmitError, submitError } from "../errors/submit-error.ts";
import { statusOf } from "../kube/status.ts";
import { failedProxyOf } from "../net/proxy/proxy-failure.ts";
import { certificateProblem, handshakeFailure } from "../net/tls-failure.ts";
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
  const handshake = handshakeFailure(error);
  if (handshake?.kind === "noTls") {
    return submitError("SUBMIT_ERR_KUBE_UNREACHABLE", { server, reason: handshake.reason }, { cause: error });
  }
  if (handshake !== undefined) {
    const isCertificate =
      handshake.kind === "alert" && /certificate|unknown ca|access denied|decrypt/.test(handshake.reason);
    const handshakeCode = isCertificate ? "SUBMIT_ERR_KUBE_CLIENT_CERTIFICATE" : "SUBMIT_ERR_KUBE_HANDSHAKE";
    return submitError(handshakeCode, { server, reason: handshake.reason }, { cause: error });
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

/** Node's code of a system error, e.g. `ECONNREFUSED`; of several addresses tried, that of the first. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : "";
}
