import { messageOf } from "../../errors/message-of.ts";
import type { Clock } from "../../host/host.ts";
import { type HttpConnections, readBytes } from "../../net/http-connections.ts";
import { retryAfterMs } from "../../net/retry-after.ts";
import { withResponseTimeout } from "../../net/with-response-timeout.ts";
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
  const send = async (timeout: AbortSignal) => {
    const response = await connections.send({
      ...{ method: "POST", url, signal: AbortSignal.any([signal, timeout]) },
      headers: { "content-type": "application/json", ...signedHeaders(message, keys) },
      body: Buffer.from(message.body),
    });
    await readBytes(response, maxResponseBytes).catch(() => {});
    return response;
  };
  try {
    const { status, headers } = await withResponseTimeout(clock, timeoutMs, send);
    if (status >= 200 && status < 300) return "accepted";
    if (status === 410) return "disabled";
    const waitMs = retryAfterMs(headers["retry-after"], maxRetryAfterSeconds);
    return { reason: `it responded with status ${status}`, retryAfterMs: waitMs };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}
