import type { Clock, Random } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { startInformer } from "../diagnose/informer.ts";
import { type ApplicationState, applicationState } from "./application-summary.ts";

/** A driver to follow. */
export interface FollowedDriver {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly driver: Pod;
  readonly signal: AbortSignal;
}

/** State of a driver that is followed. `deleted`: its pod does not exist anymore. */
export type FollowedState = ApplicationState | "deleted";

/**
 * Waits until a driver has a certain state. Resolves with the state, or with `undefined` if the signal aborted first. Without
 * permission to watch pods, only the signal ends the wait.
 */
export function waitForState(
  { client, clock, random, driver, signal }: FollowedDriver,
  isExpected: (state: FollowedState) => boolean,
): Promise<FollowedState | undefined> {
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const stopped = new AbortController();
  return new Promise((resolve) => {
    const end = (state?: FollowedState) => {
      stopped.abort();
      resolve(state);
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", () => end(), { once: true, signal: stopped.signal });
    const pods = startInformer<Pod>({
      ...{ client: client.withoutRetries(), clock, random, type: resourceTypes.pod, namespace },
      fieldSelector: `metadata.name=${name}`,
      onDenied: () => {},
      onListEnd() {
        if (pods.get().length === 0 && isExpected("deleted")) end("deleted");
      },
      signal: stopped.signal,
    });
    pods.onChange(() => {
      const [pod] = pods.get();
      if (pod === undefined) return;
      const state = pod.isDeleted ? "deleted" : applicationState(pod.object);
      if (isExpected(state)) end(state);
    });
  });
}
