import type { Host } from "../host/host.ts";
import { backoff } from "../net/backoff.ts";
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
export async function retryTransient<T>(
  { host, signal, log, problem }: LocalizeRun,
  attempt: () => Promise<T>,
  progress: () => number = () => 0,
): Promise<T> {
  const newDelay = () => backoff(host.clock, host.random, maxDelayMs);
  let delay = newDelay();
  let lastProgress = progress();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LocalizeError) || !error.isTransient) throw error;
      problem.last = error;
      log(`${error.message}; retrying`);
      if (progress() > lastProgress) delay = newDelay();
      lastProgress = progress();
      if (error.waitMs !== undefined) await host.clock.sleep(error.waitMs, { signal });
      else await delay.wait(signal);
      signal.throwIfAborted();
    }
  }
}
