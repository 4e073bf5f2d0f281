import { createHmac } from "node:crypto";

/** A message to a webhook. */
export interface WebhookMessage {
  /** The same for all attempts of one event. */
  readonly id: string;
  /** Time of the attempt in s since 1970: a receiver rejects old messages. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers of a message, with a signature for each key. Source: Standard Webhooks, "Webhook headers". */
export function signedHeaders({ id, timestamp, body }: WebhookMessage, keys: readonly Uint8Array[]) {
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac("sha256", key).update(content).digest("base64")}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
