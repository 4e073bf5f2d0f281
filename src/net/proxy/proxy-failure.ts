import { messageOf } from "../../errors/message-of.ts";

/** Address of the failed proxy, for messages: without user and password. */
interface FailedProxy {
  readonly proxy: string;
  /** HTTP status of its response, if it is an HTTP proxy. */
  readonly status?: number | undefined;
}

/** Creates the error of a connection that was not established in time. */
export function noConnection(limitMs: number): Error {
  return Object.assign(new Error(`no connection after ${limitMs} ms`), { code: "ENOTCONN" });
}

/** Adds the proxy to the error of a connection that failed because of it. */
export function viaProxy(error: Error, { protocol, host }: URL, status?: number): Error {
  const failed: FailedProxy = { proxy: `${protocol}//${host}`, status };
  return "failedProxy" in error ? error : Object.assign(error, { failedProxy: failed });
}

/** Creates the error of a proxy that rejects a connection. `isTransient`: a retry can succeed. */
export function proxyFailure(
  proxy: URL,
  reason: string,
  { isTransient = false, status }: { readonly isTransient?: boolean; readonly status?: number } = {},
): Error {
  const code = isTransient ? "EPROXYBUSY" : "EPROXY";
  return viaProxy(Object.assign(new Error(reason), { code }), proxy, status);
}

/** Returns the proxy that caused an error; `undefined` for other errors. */
export function failedProxyOf(error: unknown): FailedProxy | undefined {
  return error instanceof Error && "failedProxy" in error && isFailedProxy(error.failedProxy)
    ? error.failedProxy
    : undefined;
}

/** Describes the failure of a request, with the proxy's address if the proxy failed. */
export function explainFailure(error: unknown): string {
  const failed = failedProxyOf(error);
  return failed === undefined ? messageOf(error) : `the proxy ${failed.proxy} failed: ${messageOf(error)}`;
}

function isFailedProxy(value: unknown): value is FailedProxy {
  return typeof value === "object" && value !== null && "proxy" in value;
}
