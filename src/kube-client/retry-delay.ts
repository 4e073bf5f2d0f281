import type { RetryPolicy } from "./retry.ts";

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
