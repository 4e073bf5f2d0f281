import type { Host } from "../host/host.ts";
import { retry } from "../net/retry.ts";
import { LocalizeError } from "./localize-error.ts";

/** State that all parts of one init container run share. */
export interface LocalizeRun {
  readonly host: Host;
  /** Aborted with the `LocalizeError` that ends the run. */
  readonly signal: AbortSignal;
  /** Writes one line to the log. */
  readonly log: (text: string) => void;
  /** Last failure that was retried; reported when the run times out. */
  readonly problem: { last?: LocalizeError };
}

/** Number and total size of localized files. */
export interface LocalizedFiles {
  readonly files: number;
  readonly bytes: number;
}

const maxDelayMs = 5000;

/**
 * Retries transient failures until the run ends. Delays grow to 5 s and reset when `progress` has increased. A delay that the
 * server specifies replaces them.
 *
 * @throws LocalizeError that is not transient, or the reason of the run's abortion
 */
export function retryTransient<T>(
  { host, signal, log, problem }: LocalizeRun,
  attempt: () => Promise<T>,
  progress?: () => number,
): Promise<T> {
  return retry(
    host,
    {
      ...{ signal, maxDelayMs, progress },
      isTransient: (error) => error instanceof LocalizeError && error.isTransient,
      delayMs: (error) => (error instanceof LocalizeError ? error.waitMs : undefined),
      onRetry(error) {
        if (!(error instanceof LocalizeError)) return;
        problem.last = error;
        log(`${error.message}; retrying`);
      },
    },
    attempt,
  );
}
