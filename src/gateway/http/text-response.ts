import type { GatewayResponse, Rejection } from "./gateway-request.ts";

/** Returns a response with a line of text; without a body if the text is empty. */
export function textResponse(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse {
  const body = text === "" ? "" : `${text}\n`;
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body };
}

/** Rejects a request with a line of text. */
export function rejectAsText({ status, message, headers }: Rejection): GatewayResponse {
  return textResponse(status, message, headers);
}
