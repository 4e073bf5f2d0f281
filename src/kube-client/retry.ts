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

/** Retries of Spark's client, for every failure. */
const sparkRetries = 3;

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
