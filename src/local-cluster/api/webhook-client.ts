import type { StopSignal } from "../../errors/stop-signal.ts";
import type { WebhookAddress } from "./webhook.ts";

/** Sends reviews to webhooks. */
export interface WebhookClient {
  /** Sends a review and returns the body of its response. Rejects with the reason that clients of the API see. */
  readonly send: (call: WebhookCall) => Promise<string>;
  /** Closes idle connections. */
  readonly close: () => void;
}

/** A call without a usable response. */
export class WebhookCallError extends Error {
  /** Reason, such as `Post "https://…": dial tcp …: connect: connection refused`. */
  readonly reason: string;

  constructor(reason: string) {
    super(`failed to call webhook: ${reason}`);
    this.reason = reason;
  }
}

/** A review to send. */
export interface WebhookCall {
  readonly address: WebhookAddress;
  /** JSON. */
  readonly review: string;
  readonly timeoutMs: number;
  readonly signal: StopSignal | undefined;
}
