import type { QueueUsage } from "../queue/fair-queue.ts";
import type { UsageSample } from "../queue/usage-history.ts";

/** Queues of a gateway, now and before. */
export interface QueueView {
  readonly usage: () => readonly QueueUsage[];
  readonly samples: () => readonly UsageSample[];
}

/** Queues as the API shows them. */
export type QueuesJson = ReturnType<typeof queuesJson>;

/** Returns the queues with their limits, and samples of their use, the oldest first. */
export function queuesJson({ usage, samples }: QueueView) {
  return {
    queues: usage().map(({ queue, weight, limits, scheduler, running, waiting, demand }) => {
      return { name: queue, weight, limits, ...(scheduler && { scheduler }), running, waiting, ...demand };
    }),
    samples: samples().map(({ atMs, queues }) => ({ time: new Date(atMs).toISOString(), queues })),
  };
}
