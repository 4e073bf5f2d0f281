import { printMessage } from "../../masters/rest/print-message.ts";
import type { GatewayResponse } from "../http/gateway-request.ts";

type Fields = Parameters<typeof printMessage>[0];

/**
 * Prints a message of the protocol. Its layout is part of the contract: one field per line, because Airflow parses the lines.
 *
 * Source: recorded with Spark 3.5.9 and 4.3.0.
 */
export function protocolResponse(
  status: number,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse {
  return {
    status,
    headers: { "content-type": "application/json;charset=utf-8", ...headers },
    body: printMessage(fields),
  };
}

/** Prints a page for what Spark's web server rejects itself. */
export function pageResponse(status: number, message: string): GatewayResponse {
  const title = `Error ${status} ${message}`;
  const body = `<html>\n<head><title>${title}</title></head>\n<body><h2>HTTP ERROR ${status} ${message}</h2></body>\n</html>\n`;
  return { status, headers: { "content-type": "text/html;charset=utf-8" }, body };
}
