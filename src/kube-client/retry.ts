import type { Host } from "../host/host.ts";

/** Number and delays of the retries of a failed request. */
export interface RetryPolicy {
  /** At most so many times; absent: more often when the server answers than when nobody does. */
  readonly retries?: number | undefined;
  /** Before the second attempt; doubles with each further one. @default 100 */
  readonly firstDelayMs?: number | undefined;
  /** In [0, 1), so that many clients do not march in step. @default 0 */
  readonly fraction?: () => number;
  /** Whether a request is sent again when the connection was closed under it. @default "unlessPost" */
  readonly repeatsCutOff?: RepeatsCutOff;
}

/** A request that was cut off may have been done; whoever repeats a POST must recognise what it made. */
export type RepeatsCutOff = "never" | "unlessPost" | "always";

/** A failed attempt that may be retried. */
export interface FailedAttempt {
  /** From 0. */
  readonly attempt: number;
  /** The server is there, and busy or ill; else it was not reached. */
  readonly hasResponse: boolean;
  /** Delay that the server requests. */
  readonly retryAfterMs?: number | undefined;
}

/** A server that restarts is back within seconds, a wrong address never. */
const responseRetries = 6;
/** Of Spark's client, whatever failed. */
const sparkRetries = 3;
const unansweredRetries = 3;
const maxDoublings = 5;
/** To come back sooner than asked would be rude, and nobody waits longer. */
const longestDelayMs = 60_000;

/**
 * Ms until the next attempt, `undefined` when there is none. A pause is up to a quarter longer by chance.
 *
 * Source: Spark's Kubernetes client library, ExponentialBackoffIntervalCalculator, for pauses and their doubling.
 */
export function retryDelayMs(
  { retries, firstDelayMs = 100, fraction = () => 0 }: RetryPolicy,
  { attempt, hasResponse, retryAfterMs = 0 }: FailedAttempt,
): number | undefined {
  if (attempt >= (retries ?? (hasResponse ? responseRetries : unansweredRetries))) return undefined;
  if (retryAfterMs > longestDelayMs) return undefined;
  const doubledMs = firstDelayMs * 2 ** Math.min(attempt, maxDoublings);
  return Math.max(retryAfterMs, doubledMs) * (1 + fraction() / 4);
}

/**
 * The policy that the environment asks for, in the names of Spark's Kubernetes client library; what is no number there
 * is passed over. `spark`: as often as Spark's client; recorded with Spark 4.3.0.
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
    retries:
      number("KUBERNETES_REQUEST_RETRY_BACKOFFLIMIT") ??
      (requestRetries === "spark" ? sparkRetries : undefined),
    firstDelayMs: number("KUBERNETES_REQUEST_RETRY_BACKOFFINTERVAL"),
    fraction: random.fraction,
  };
}
