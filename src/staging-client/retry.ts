import { isSubmitError, messageOf, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { backoff } from "../net/backoff.ts";
import { isPermanent } from "../net/permanent-error.ts";

/** Retry limits for one server. */
export interface Persistence {
  /** Name of the server, for messages. */
  readonly server: string;
  /** Whether the same submission goes on later with what it has got. @default true */
  readonly isKept?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Timeout without progress, in ms. @default 60 000 */
  readonly patienceMs?: number | undefined;
  /** The longest wait between attempts, in ms. @default 10 000 */
  readonly maxDelayMs?: number;
  /** Counter that grows when an attempt makes progress. */
  readonly progress?: () => number;
}

/** A failure that may succeed when it is retried. */
export class TransientError extends Error {
  /** When to try again, if the server says. */
  readonly waitMs: number | undefined;

  constructor(message: string, waitMs?: number) {
    super(message);
    this.name = "PassingError";
    this.waitMs = waitMs;
  }
}

const defaultTimeoutMs = 60_000;
const defaultMaxDelayMs = 10_000;

/**
 * Attempts until one succeeds. A SubmitError is final, and so is a certificate that is not trusted; all else may pass.
 *
 * @throws SUBMIT_ERR_STAGING_UNREACHABLE; what `signal` was aborted with
 */
export async function retryUntilDeadline<T>(
  { clock, random }: Host,
  persistence: Persistence,
  attempt: () => Promise<T>,
): Promise<T> {
  const { server, isKept = true, signal, patienceMs = defaultTimeoutMs, progress = () => 0 } = persistence;
  const newDelay = () => backoff(clock, random, persistence.maxDelayMs ?? defaultMaxDelayMs);
  let delay = newDelay();
  let reached = progress();
  let since = clock.monotonic();
  while (true) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (isSubmitError(error)) throw error;
      if (progress() > reached) {
        reached = progress();
        since = clock.monotonic();
        delay = newDelay();
      }
      if (isPermanent(error) || clock.monotonic() - since >= patienceMs)
        throw submitError(
          "SUBMIT_ERR_STAGING_UNREACHABLE",
          { server, reason: messageOf(error), isKept },
          { cause: error },
        );
      const waitMs = error instanceof TransientError ? error.waitMs : undefined;
      const options = signal === undefined ? {} : { signal };
      await (waitMs === undefined ? delay.wait(signal) : clock.sleep(Math.min(waitMs, patienceMs), options));
      signal?.throwIfAborted();
    }
  }
}
