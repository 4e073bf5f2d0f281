import type { Host } from "../host/host.ts";

/** Number and delays of the retries of a failed request. */
export interface RetryPolicy {
  /** Maximum number of retries. @default 6 if the server responds, else 3 */
  readonly retries?: number | undefined;
  /** Delay before the first retry, in ms. Doubles with each retry. @default 100 */
  readonly firstDelayMs?: number | undefined;
  /** Random number in [0, 1), so that many clients do not retry at the same time. @default 0 */
  readonly fraction?: () => number;
  /** Whether a request is sent again when the connection was closed under it. @default "unlessPost" */
  readonly repeatsCutOff?: RepeatsCutOff;
}

/** Requests to repeat after a lost connection. A repeated POST may find the object that its first attempt created. */
export type RepeatsCutOff = "never" | "unlessPost" | "always";

/** A failed attempt that may be retried. */
export interface FailedAttempt {
  /** From 0. */
  readonly attempt: number;
  /** The server responded with an error; else it was not reached. */
  readonly hasResponse: boolean;
  /** Delay that the server requests. */
  readonly retryAfterMs?: number | undefined;
}

/** A restarting server is back within seconds, but a wrong address never works. */
const responseRetries = 6;
/** Retries of Spark's client, for every failure. */
const sparkRetries = 3;
const noResponseRetries = 3;
const maxDoublings = 5;
/** A longer Retry-After ends the retries: a request must not arrive earlier, and users do not wait longer. */
const maxDelayMs = 60_000;

/**
 * Computes the ms until the next attempt; `undefined` if there is none. Adds up to 25% at random.
 *
 * Source: Spark's Kubernetes client library, ExponentialBackoffIntervalCalculator, for delays and their doubling.
 */
export function retryDelayMs(
  { retries, firstDelayMs = 100, fraction = () => 0 }: RetryPolicy,
  { attempt, hasResponse, retryAfterMs = 0 }: FailedAttempt,
): number | undefined {
  if (attempt >= (retries ?? (hasResponse ? responseRetries : noResponseRetries))) return undefined;
  if (retryAfterMs > maxDelayMs) return undefined;
  const doubledMs = firstDelayMs * 2 ** Math.min(attempt, maxDoublings);
  return Math.max(retryAfterMs, doubledMs) * (1 + fraction() / 4);
}

/**
 * Reads the retry policy from the environment variables of Spark's Kubernetes client library. Ignores values that are not numbers.
 * `spark`: as often as Spark's client; recorded with Spark 4.3.0.
 */
export function retryPolicy(
  { env, random }: Pick<Host, "env" | "random">,
  { requestRetries }: { readonly requestRetries: "byReason" | "spark" },
): RetryPolicy {
  const number = (name: string) => {
    const text = env[name]?.trim() ?? "";
    return text !== "" && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  };
  return {
    retries: number("KUBERNETES_REQUEST_RETRY_BACKOFFLIMIT") ?? (requestRetries === "spark" ? sparkRetries : undefined),
    firstDelayMs: number("KUBERNETES_REQUEST_RETRY_BACKOFFINTERVAL"),
    fraction: random.fraction,
  };
}
