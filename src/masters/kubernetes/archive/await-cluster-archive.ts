import { messageOf } from "../../../errors/submit-error.ts";
import type { Log } from "../../../host/log.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";
import { findArchiveReport } from "./archive-report.ts";

const pollMs = 250;
/** Limit of the wait after the driver's end. Large bundles take a minute. */
const timeoutMs = 600_000;

/** Waits until the cluster has archived a driver that has ended, and logs the result. Does not throw. */
export async function awaitClusterArchive(
  { client, clock, latest }: Pick<WatchedPod, "client" | "clock" | "latest">,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const end = clock.monotonic() + timeoutMs;
  const warn = (reason: string) =>
    log("WARN", "Archive", `Whether the cluster archived the application is not known: ${reason}`);
  try {
    for (;;) {
      const report = await findArchiveReport(client, latest.get(), signal);
      if (report !== undefined) return log(report.isArchived ? "INFO" : "WARN", "Archive", report.text);
      if (signal.aborted) return warn("the wait was interrupted");
      if (clock.monotonic() > end) return warn("it did not report a result in 10 min");
      await clock.sleep(pollMs, { signal });
    }
  } catch (error) {
    warn(messageOf(error));
  }
}
