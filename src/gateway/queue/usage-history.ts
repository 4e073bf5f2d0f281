import type { Clock } from "../../host/host.ts";
import type { FairQueue } from "./fair-queue.ts";

/** Use of the queues at one time. */
export interface UsageSample {
  /** In ms since 1970. */
  readonly atMs: number;
  readonly queues: readonly QueueSample[];
}

/** Use of one queue at one time. */
export interface QueueSample {
  readonly queue: string;
  readonly running: number;
  readonly waiting: number;
  readonly cores: number;
  readonly memoryMiB: number;
}

/** Recent use of the queues, for plots. It is not stored. */
export interface UsageHistory {
  /** Samples, the oldest first; the last one is the present. */
  readonly samples: () => readonly UsageSample[];
  readonly stop: () => void;
}

/** Samples of two hours. */
const history = { intervalMs: 15_000, maxSamples: 480 };

/** Starts to record the use of queues. */
export function startUsageHistory(
  clock: Pick<Clock, "now" | "after">,
  queue: Pick<FairQueue, "usage">,
  { intervalMs, maxSamples } = history,
): UsageHistory {
  const samples: UsageSample[] = [];
  let cancel = () => {};
  const take = (): UsageSample => ({
    atMs: clock.now(),
    queues: queue
      .usage()
      .map(({ queue: name, running, waiting, demand }) => ({ queue: name, running, waiting, ...demand })),
  });
  const record = () => {
    samples.push(take());
    if (samples.length > maxSamples) samples.shift();
    cancel = clock.after(intervalMs, record);
  };
  record();
  return { samples: () => [...samples, take()], stop: () => cancel() };
}
