import type { Issue } from "../../errors/issue.ts";
import type { GatewayResponse, Rejection } from "../http/gateway-request.ts";

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Returns an error of the API as problem details (RFC 9457). `issues` lists every problem of a request. */
export function problem({ status, message, headers }: Rejection, issues: readonly Issue[] = []): GatewayResponse {
  const listed = issues.map(({ code, message: text, hint }) => ({ code, message: text, hint }));
  const body = {
    title: titles[status] ?? "Error",
    status,
    detail: message,
    ...(issues.length > 0 && { issues: listed }),
  };
  return {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Returns a value as JSON. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): GatewayResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}
