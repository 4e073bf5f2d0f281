import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";

/** A download that another program does. */
export interface Growth<T> {
  /** For people, e.g. `Spark 4.3.0`. */
  readonly what: string;
  /** Bytes that lie there by now. */
  readonly measure: () => number;
  /** Bytes in all, once they are known. */
  readonly total: () => number | undefined;
  /** The program's end. */
  readonly ended: Promise<T>;
}

const intervalMs = 250;

/** Shows a download by the size of what is written: few programs tell others how far they are. */
export async function showGrowth<T>(host: Host, progress: Progress, growth: Growth<T>): Promise<T> {
  const transfer = progress.transfer(growth.what);
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      transfer.update(growth.measure(), growth.total());
      await host.clock.sleep(intervalMs, { signal: over.signal });
    }
  })();
  try {
    return await growth.ended;
  } finally {
    over.abort();
    await watching;
    transfer.end();
  }
}
