import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";

/** Download by another program. */
interface Growth<T> {
  /** For display, e.g. `Spark 4.3.0`. */
  readonly what: string;
  /** Number of bytes written so far. */
  readonly measure: () => number;
  /** Total number of bytes, once known. */
  readonly total: () => number | undefined;
  /** Settles when the program ends. */
  readonly ended: Promise<T>;
}

const intervalMs = 250;

/** Shows a download's progress by the size of its file: few programs report their progress to others. */
export async function showGrowth<T>(host: Host, progress: Progress, growth: Growth<T>): Promise<T> {
  const transfer = progress.transfer(growth.what);
  const stop = new AbortController();
  const watching = (async () => {
    while (!stop.signal.aborted) {
      transfer.update(growth.measure(), growth.total());
      await host.clock.sleep(intervalMs, { signal: stop.signal });
    }
  })();
  try {
    return await growth.ended;
  } finally {
    stop.abort();
    await watching;
    transfer.end();
  }
}
