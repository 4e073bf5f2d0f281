import type { Clock } from "../../../../host/host.ts";

const firstDelayMs = 1_000;
const maxDelayMs = 900_000;

/** Limits how often failed pods are replaced, by DaemonSet and node. */
export interface FailedPodBackOff {
  /** Returns the remaining delay in ms; if it is 0, the pod is replaced now and the next delay doubles. */
  readonly delay: (key: string) => number;
}

/** Creates a limit without failures. */
export function failedPodBackOff(clock: Clock): FailedPodBackOff {
  const entries = new Map<string, { readonly delayMs: number; readonly sinceMs: number }>();
  return {
    delay(key) {
      const now = clock.now();
      for (const [known, { sinceMs }] of entries) if (now - sinceMs > 2 * maxDelayMs) entries.delete(known);
      const last = entries.get(key);
      const left = last === undefined ? 0 : last.sinceMs + last.delayMs - now;
      if (left > 0) return left;
      const delayMs = last === undefined ? firstDelayMs : Math.min(2 * last.delayMs, maxDelayMs);
      entries.set(key, { delayMs, sinceMs: now });
      return 0;
    },
  };
}
