import type { Behaviors } from "../../../conf/behaviors.ts";
import type { Clock } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";

/** Log of the failures of a watch, limited to one line a minute. */
export interface WatchFailureLog {
  /** Logs that the watch failed and will be retried. */
  readonly retry: (reason: string) => void;
  /** Logs that the driver is polled every `everyMs` instead of watched. */
  readonly poll: (everyMs: number, reason: string) => void;
  /** Logs the recovery, if a failure was logged before. */
  readonly recovered: () => void;
}

const logger = "LoggingPodStatusWatcherImpl";
const minIntervalMs = 60_000;

/** Creates a log without failures. With Spark's behavior it logs each failure and no recovery. */
export function watchFailureLog(
  clock: Clock,
  log: Log,
  { watchRetries }: Pick<Behaviors, "watchRetries">,
): WatchFailureLog {
  const logsAll = watchRetries === "spark";
  let loggedAt: number | undefined;
  return {
    retry(reason) {
      const now = clock.monotonic();
      if (!logsAll && loggedAt !== undefined && now - loggedAt < minIntervalMs) return;
      loggedAt = now;
      log("WARN", logger, `Retrying to watch the driver: ${reason}`);
    },
    poll(everyMs, reason) {
      log("WARN", logger, `Cannot watch the driver; polling it every ${everyMs / 1000} s: ${reason}`);
    },
    recovered() {
      if (loggedAt === undefined) return;
      loggedAt = undefined;
      if (!logsAll) log("INFO", logger, "Watching the driver again.");
    },
  };
}
