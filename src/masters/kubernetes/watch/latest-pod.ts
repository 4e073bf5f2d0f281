import type { Clock, Random } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** A pod that is being watched, and the means to read more about it. */
export interface WatchedPod {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly latest: LatestPod;
  /** Name of the driver's container, or of the executor's. */
  readonly container: string;
  readonly signal: AbortSignal;
}

/** Last known state of a pod, which its watch sets for all parts that wait for its changes. */
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

/** Clears the resource version, so that a watch sends the current state first. A pod that has ended sends no other event. */
export function withoutResourceVersion(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: "" } };
}
