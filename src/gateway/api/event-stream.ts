import type { GatewayResponse } from "../http/gateway-request.ts";

/** Prints a server-sent event. */
export function printEvent(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Returns a response of server-sent events. */
export function eventStream(body: AsyncIterable<string>): GatewayResponse {
  return { status: 200, headers: { "content-type": "text/event-stream" }, body };
}
