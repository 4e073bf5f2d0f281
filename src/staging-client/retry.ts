import { isSubmitError, messageOf, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { isPermanent, isTlsFailure } from "../net/permanent-error.ts";
import { retry } from "../net/retry.ts";
import { handshakeFailure } from "../net/tls-failure.ts";

/** Retry limits for one server. */
interface StagingRetries {
  /** Name of the server, for messages. */
  readonly server: string;
  /** Whether the same submission can resume later with the files that the server has. @default true */
  readonly isKept?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Timeout without progress, in ms. @default 60 000 */
  readonly timeoutMs?: number | undefined;
  /** The longest delay between attempts, in ms. @default 10 000 */
  readonly maxDelayMs?: number;
  /** Counter that grows when an attempt makes progress. */
  readonly progress?: () => number;
}

/** A failure that may succeed when it is retried. */
export class TransientError extends Error {
  /** Delay before the next attempt, in ms, if the server specifies one. */
  readonly delayMs: number | undefined;

  constructor(message: string, delayMs?: number) {
    super(message);
    this.name = "TransientError";
    this.delayMs = delayMs;
  }
}

const defaultTimeoutMs = 60_000;
const defaultMaxDelayMs = 10_000;

/**
 * Attempts until one succeeds. A SubmitError and an untrusted certificate are permanent; other failures are retried.
 *
 * @throws SUBMIT_ERR_STAGING_UNREACHABLE; the SubmitError of an attempt; the reason of `signal`
 */
export async function retryUntilDeadline<T>(
  host: Pick<Host, "clock" | "random">,
  { server, isKept = true, signal, timeoutMs = defaultTimeoutMs, ...retries }: StagingRetries,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await retry(
      host,
      {
        ...{ signal, deadlineMs: timeoutMs, maxDelayMs: defaultMaxDelayMs, ...retries },
        isTransient: (error) => !isSubmitError(error) && !isPermanent(error),
        delayMs: (error) => (error instanceof TransientError ? error.delayMs : undefined),
      },
      attempt,
    );
  } catch (error) {
    signal?.throwIfAborted();
    if (isSubmitError(error)) throw error;
    const reason = handshakeFailure(error)?.reason ?? messageOf(error);
    const fields = { server, reason, isKept, isUntrusted: isTlsFailure(error) };
    throw submitError("SUBMIT_ERR_STAGING_UNREACHABLE", fields, { cause: error });
  }
}
