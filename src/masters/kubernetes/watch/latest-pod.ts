import type { Pod } from "../../../kube/types.ts";

/** Last known state of a pod, shared by all parts that wait for its changes. */
export interface LatestPod {
  readonly get: () => Pod;
  readonly set: (pod: Pod) => void;
  /** Resolves with the pod once it passes the test; with `undefined` if the signal aborts first. */
  readonly until: (test: (pod: Pod) => boolean, signal: AbortSignal) => Promise<Pod | undefined>;
}

/** Creates the shared state from the pod as the API returned it at its creation. */
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
