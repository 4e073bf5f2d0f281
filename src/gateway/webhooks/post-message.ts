import { messageOf } from "../../errors/message-of.ts";
import type { Clock } from "../../host/host.ts";
import { type HttpConnections, readBytes } from "../../net/http-connections.ts";
import { signedHeaders, type WebhookMessage } from "./sign.ts";
import type { Webhook } from "./webhook.ts";

interface PostCall {
  readonly connections: Pick<HttpConnections, "send">;
  readonly clock: Pick<Clock, "after">;
  readonly signal: AbortSignal;
}

/** Result of an attempt. `disabled`: the receiver wants no more events. */
export type PostResult =
  | "accepted"
  | "disabled"
  | { readonly reason: string; readonly retryAfterMs?: number | undefined };

const timeoutMs = 15_000;
const maxRetryAfterSeconds = 3600;
/** A response is read only so that its connection can be used again. */
const maxResponseBytes = 65_536;

/** Sends a message once. Redirects are not followed: they could lead to servers that the configuration does not name. */
export async function postMessage(
  { connections, clock, signal }: PostCall,
  { url, keys }: Webhook,
  message: WebhookMessage,
): Promise<PostResult> {
  const ending = new AbortController();
  const abort = () => ending.abort();
  let isLate = false;
  const cancel = clock.after(timeoutMs, () => {
    isLate = true;
    abort();
  });
  signal.addEventListener("abort", abort);
  try {
    const response = await connections.send({
      ...{ method: "POST", url, signal: ending.signal },
      headers: { "content-type": "application/json", ...signedHeaders(message, keys) },
      body: Buffer.from(message.body),
    });
    const { status, headers } = response;
    await readBytes(response, maxResponseBytes).catch(() => {});
    if (status >= 200 && status < 300) return "accepted";
    if (status === 410) return "disabled";
    return { reason: `it responded with status ${status}`, retryAfterMs: retryAfterMs(headers["retry-after"]) };
  } catch (error) {
    return { reason: isLate ? `it did not respond in ${timeoutMs / 1000} s` : messageOf(error) };
  } finally {
    cancel();
    signal.removeEventListener("abort", abort);
  }
}

/** Parses a `Retry-After` header in seconds; at most an hour. */
function retryAfterMs(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text), maxRetryAfterSeconds) * 1000 : undefined;
}
