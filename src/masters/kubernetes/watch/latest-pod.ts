import type { Pod } from "../../../kube/types.ts";

/** What is known of a pod by now, for all who wait for a change of it. */
export interface LatestPod {
  readonly get: () => Pod;
  readonly set: (pod: Pod) => void;
  /** Resolves when the pod passes the test; `undefined` when the signal came first. */
  readonly until: (test: (pod: Pod) => boolean, signal: AbortSignal) => Promise<Pod | undefined>;
}

/** Begins with what the API answered to the pod's creation. */
export function latestPod(first: Pod): LatestPod {
  let latest = first;
  const waiting = new Set<() => void>();
  return {
    get: () => latest,
    set(pod) {
      latest = pod;
      for (const check of waiting) check();
    },
    until: (test, signal) =>
      new Promise((resolve) => {
        const settle = (pod: Pod | undefined) => {
          waiting.delete(check);
          signal.removeEventListener("abort", stop);
          resolve(pod);
        };
        const check = () => {
          if (test(latest)) settle(latest);
        };
        const stop = () => settle(undefined);
        waiting.add(check);
        signal.addEventListener("abort", stop, { once: true });
        if (signal.aborted) stop();
        else check();
      }),
  };
}
