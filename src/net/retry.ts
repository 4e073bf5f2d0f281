import type { Host } from "../host/host.ts";
import { backoff } from "./backoff.ts";

/** When a failed attempt is repeated. */
export interface RetryPolicy {
  /** Whether another attempt can succeed. Called for each failure. */
  readonly isTransient: (error: unknown) => boolean;
  /** Time without progress after which a failure is final, in ms. @default no limit */
  readonly deadlineMs?: number | undefined;
  /** @default no limit */
  readonly maxAttempts?: number | undefined;
  /** Longest delay between attempts, in ms. @default 30 000 */
  readonly maxDelayMs?: number | undefined;
  /** Delay that the failure itself specifies, in ms; `undefined`: a growing delay. */
  readonly delayMs?: ((error: unknown) => number | undefined) | undefined;
  /** Counter that grows when an attempt makes progress, which restarts the deadline and the delays. */
  readonly progress?: (() => number) | undefined;
  /** Called before each repetition. */
  readonly onRetry?: ((error: unknown) => void) | undefined;
  /** Ends the retries with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Repeats an attempt until it succeeds. @throws the last failure; the reason of `signal` */
export async function retry<T>(
  { clock, random }: Pick<Host, "clock" | "random">,
  policy: RetryPolicy,
  attempt: () => Promise<T>,
): Promise<T> {
  const { signal, progress = () => 0, deadlineMs = Number.POSITIVE_INFINITY } = policy;
  const { maxAttempts = Number.POSITIVE_INFINITY } = policy;
  let delay = backoff(clock, random, policy.maxDelayMs);
  let reached = progress();
  let sinceMs = clock.monotonic();
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (progress() > reached) {
        reached = progress();
        sinceMs = clock.monotonic();
        delay = backoff(clock, random, policy.maxDelayMs);
      }
      const isOverdue = clock.monotonic() - sinceMs >= deadlineMs;
      if (!policy.isTransient(error) || isOverdue || attempts >= maxAttempts) throw error;
      policy.onRetry?.(error);
      const delayMs = policy.delayMs?.(error);
      if (delayMs === undefined) await delay.wait(signal);
      else if (delayMs > 0) await clock.sleep(Math.min(delayMs, deadlineMs), signal === undefined ? {} : { signal });
      signal?.throwIfAborted();
    }
  }
}
