import { messageOf } from "../../errors/message-of.ts";
import type { Clock, Random } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { backoff } from "../../net/backoff.ts";
import type { HttpConnections } from "../../net/http-connections.ts";
import { limiter } from "../../net/limiter.ts";
import { postMessage } from "./post-message.ts";
import type { WebhookMessage } from "./sign.ts";
import type { Webhook } from "./webhook.ts";
import { attemptOf, type WebhookEvent } from "./webhook-event.ts";

interface SenderCall {
  readonly webhook: Webhook;
  readonly clock: Clock;
  readonly random: Random;
  /** Log that is limited to one entry a minute for each text. */
  readonly log: ServerLog;
  readonly connections: Pick<HttpConnections, "send">;
  readonly messageOf: (event: WebhookEvent) => Omit<WebhookMessage, "timestamp">;
  /** Aborts when the gateway stops. */
  readonly signal: AbortSignal;
}

/** Deliveries of one webhook. */
export interface WebhookCounts {
  readonly delivered: number;
  /** Events that the receiver never gets. */
  readonly failed: number;
  readonly failedAttempts: number;
  readonly pending: number;
}

/** Sends events to one webhook. */
export interface WebhookSender {
  /**
   * Sends an event until the receiver accepts it. Of several events of one attempt of an application, the last one replaces
   * those that wait.
   *
   * @returns false if the gateway stops before the event is delivered or has failed
   */
  readonly send: (event: WebhookEvent) => Promise<boolean>;
  /** Whether the receiver wants no more events. */
  readonly isDisabled: () => boolean;
  readonly counts: () => WebhookCounts;
}

/** Messages that wait for a response of one receiver. */
const maxConcurrent = 4;
/** Events that wait: beyond it, further ones fail. It is above the number of applications that a gateway keeps by default. */
const maxPending = 20_000;
/** Maximum delay between attempts. */
const maxDelayMs = 900_000;
/** Time after an event in which it is sent. */
export const maxAgeMs = 24 * 60 * 60 * 1000;

interface Delivery {
  /** Latest event of the attempt. */
  event: WebhookEvent;
  readonly done: Promise<boolean>;
}

/** Creates a sender. */
export function webhookSender(call: SenderCall): WebhookSender {
  const { webhook, clock, random, log, connections, signal } = call;
  const deliveries = new Map<string, Delivery>();
  const bounded = limiter(maxConcurrent);
  let [delivered, failed, failedAttempts, resumeMs, isDisabled] = [0, 0, 0, 0, false];
  const attempt = async (event: WebhookEvent) => {
    // The receiver has asked for a delay.
    for (let delayMs = resumeMs - clock.monotonic(); delayMs > 0; delayMs = resumeMs - clock.monotonic())
      await clock.sleep(delayMs, { signal, background: true });
    if (signal.aborted || isDisabled) return "disabled";
    const message = { ...call.messageOf(event), timestamp: Math.floor(clock.now() / 1000) };
    return postMessage({ connections, clock, signal }, webhook, message);
  };
  /** Sends the latest event of an attempt until it is delivered or has failed. */
  const deliver = async (id: string, latest: () => WebhookEvent): Promise<boolean> => {
    const { wait } = backoff(clock, random, maxDelayMs);
    for (;;) {
      const event = latest();
      const result = await bounded(() => attempt(event));
      if (signal.aborted) return false;
      const isLatest = latest() === event;
      if (result === "accepted") {
        delivered += 1;
        if (!isLatest) continue;
        deliveries.delete(id);
        return true;
      }
      if (result !== "disabled") {
        failedAttempts += 1;
        if (result.retryAfterMs !== undefined) resumeMs = Math.max(resumeMs, clock.monotonic() + result.retryAfterMs);
        log("WARN", "A webhook does not accept an event.", { webhook: webhook.name, reason: result.reason });
      } else if (!isDisabled) {
        isDisabled = true;
        log("ERROR", "A webhook wants no more events (410), and gets none until the gateway starts again.", {
          webhook: webhook.name,
        });
      }
      if (isDisabled || (isLatest && clock.now() >= event.atMs + maxAgeMs)) {
        deliveries.delete(id);
        return fail(event);
      }
      await wait(signal);
    }
  };
  const fail = ({ application }: WebhookEvent) => {
    failed += 1;
    const { key } = application.record;
    log("ERROR", "A webhook never gets an event.", { webhook: webhook.name, key, state: application.state });
    return true;
  };
  return {
    async send(event) {
      const id = attemptOf(event.application);
      const earlier = deliveries.get(id);
      if (earlier !== undefined) {
        earlier.event = event;
        return earlier.done;
      }
      if (isDisabled || deliveries.size >= maxPending) return fail(event);
      let delivery: Delivery | undefined;
      const done = deliver(id, () => delivery?.event ?? event).catch((error: unknown) => {
        log("ERROR", "An event of a webhook cannot be sent.", { webhook: webhook.name, reason: messageOf(error) });
        deliveries.delete(id);
        return fail(event);
      });
      delivery = { event, done };
      deliveries.set(id, delivery);
      return done;
    },
    isDisabled: () => isDisabled,
    counts: () => ({ delivered, failed, failedAttempts, pending: deliveries.size }),
  };
}
