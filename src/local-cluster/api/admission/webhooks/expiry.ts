import type { ApiScope, Call } from "../../call.ts";
import { timeout } from "../../wire/query.ts";

/** Maximum duration of a request in ms. Source: Kubernetes 1.35, requestTimeoutUpperBound. */
const maxRequestMs = 34_000;

/** Returns the time at which a request expires, in ms since 1970. Only requests that wait for webhooks can expire. */
export function expiryOf({ clock }: Pick<ApiScope, "clock">, { query }: Pick<Call, "query">): number {
  const requestedMs = timeout(query) ?? 0;
  return clock.now() + (requestedMs > 0 ? Math.min(requestedMs, maxRequestMs) : maxRequestMs);
}
