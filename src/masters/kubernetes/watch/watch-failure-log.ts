import type { Behaviors } from "../../../conf/behaviors.ts";
import type { Clock } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";

/** What is said of a watch that does not go well: once, and then now and then. */
export interface WatchFailureLog {
  readonly tryAgain: (reason: string) => void;
  /** From now on the driver is looked at each `everyMs`. */
  readonly poll: (everyMs: number, reason: string) => void;
  /** Ends the complaints, with a word about it if there were any. */
  readonly recovered: () => void;
}

const logger = "LoggingPodStatusWatcherImpl";
const quietMs = 60_000;

/** Begins without a complaint. As Spark, logs each failure and no recovery. */
export function watchFailureLog({
  clock,
  log,
  behaviors,
}: {
  readonly clock: Clock;
  readonly log: Log;
  readonly behaviors: Pick<Behaviors, "watchRetries">;
}): WatchFailureLog {
  const asSpark = behaviors.watchRetries === "spark";
  let saidAt: number | undefined;
  return {
    tryAgain(reason) {
      const now = clock.monotonic();
      if (!asSpark && saidAt !== undefined && now - saidAt < quietMs) return;
      saidAt = now;
      log("WARN", logger, `Watching the driver will be tried again: ${reason}`);
    },
    poll(everyMs, reason) {
      const text = `The driver cannot be watched and is looked at every ${everyMs / 1000} s: ${reason}`;
      log("WARN", logger, text);
    },
    recovered() {
      if (saidAt === undefined) return;
      saidAt = undefined;
      if (!asSpark) log("INFO", logger, "The driver is watched again.");
    },
  };
}
