import { backoff } from "../host/backoff.ts";
import type { Host } from "../host/host.ts";
import { LocalizeError } from "./localize-error.ts";

/** One run of the init container, as all its parts see it. */
export interface Localizing {
  readonly host: Host;
  /** Aborted with the `LocalizeError` that ends the run. */
  readonly signal: AbortSignal;
  /** Tells one thing, on a line of its own. */
  readonly say: (text: string) => void;
  /** Last failure that is being retried; reported when the time limit expires. */
  readonly problem: { last?: LocalizeError };
}

/** Files that were localized. */
export interface Localized {
  readonly files: number;
  readonly bytes: number;
}

const maxDelayMs = 5000;

/**
 * Attempts until one succeeds, or fails in a way that waiting does not help, or the run ends. Waits start anew when an attempt
 * got on: `progress` grows then.
 */
export async function retrying<T>(
  { host, signal, say, problem }: Localizing,
  attempt: () => Promise<T>,
  progress: () => number = () => 0,
): Promise<T> {
  const newDelay = () => backoff(host.clock, host.random, maxDelayMs);
  let delay = newDelay();
  let reached = progress();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LocalizeError) || !error.isTransient) throw error;
      problem.last = error;
      say(`${error.message}; trying again`);
      if (progress() > reached) delay = newDelay();
      reached = progress();
      if (error.waitMs !== undefined) await host.clock.sleep(error.waitMs, { signal });
      else await delay.wait(signal);
      signal.throwIfAborted();
    }
  }
}
