import type { GatewayResponse } from "../http/gateway-request.ts";

const jsonType = "application/json;charset=utf-8";

/** Returns a JSON response. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): GatewayResponse {
  return { status, headers: { "content-type": jsonType, ...headers }, body: JSON.stringify(value) };
}

/** Returns Livy's form of a message. */
export function message(status: number, msg: string, headers: Readonly<Record<string, string>> = {}): GatewayResponse {
  return json(status, { msg }, headers);
}

/** Returns a response without a body. */
export function empty(status: number, headers: Readonly<Record<string, string>> = {}): GatewayResponse {
  return { status, headers: { "content-type": jsonType, ...headers } };
}

/** Returns the response about a batch or session that does not exist. */
export function notFound(idOrName: string): GatewayResponse {
  return message(404, `Session '${idOrName}' not found.`);
}

/** Returns an HTML page. `body` must not contain text of clients. */
export function page(status: number, title: string, body: string): GatewayResponse {
  const html = `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>\n`;
  return { status, headers: { "content-type": "text/html;charset=utf-8" }, body: html };
}
