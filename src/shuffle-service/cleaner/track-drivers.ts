import type { StopSignal } from "../../errors/stop-signal.ts";
import { messageOf } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { ApplicationPod } from "./evaluate-application.ts";

/** Labels of Spark's pods. */
export const sparkLabels = { role: "spark-role", application: "spark-app-selector" } as const;

/** Driver pods of the cluster, kept current by a watch. */
export interface TrackedDrivers {
  /** Returns the driver pods of an application. */
  readonly of: (appId: string) => readonly ApplicationPod[];
  /** Time since the last list or event, in ms; `undefined` before the first list. */
  readonly ageMs: () => number | undefined;
  readonly stop: () => Promise<void>;
}

interface TrackContext {
  /** Client without retries. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly limitedLog: ServerLog;
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined;
}

/** The API ends a watch after this time, and the next one continues. A lost connection is noticed after half as long again. */
const watchSeconds = 300;
const retryMs = 10_000;

/** Starts to list and watch driver pods. Lists them again after a watch expired (410) or failed. */
export function trackDrivers({ client, clock, limitedLog, namespace }: TrackContext): TrackedDrivers {
  const ending = new AbortController();
  const state: TrackState = { pods: new Map(), seenMs: undefined };
  const about = {
    ...{ type: resourceTypes.pod, labelSelector: `${sparkLabels.role}=driver,${sparkLabels.application}` },
    ...(namespace === undefined ? {} : { namespace }),
    signal: ending.signal,
  };
  const running = (async () => {
    while (!ending.signal.aborted) {
      try {
        const { items, resourceVersion } = await client.list<Pod>(about);
        state.pods = new Map(items.map((pod) => [uidOf(pod), pod]));
        state.seenMs = clock.monotonic();
        await watchFrom({ client, clock, state, about, signal: ending.signal }, resourceVersion);
      } catch (error) {
        if (ending.signal.aborted) return;
        limitedLog("WARN", "Driver pods cannot be watched, so the files of their applications are kept.", {
          reason: messageOf(error),
        });
      }
      await clock.sleep(retryMs, { signal: ending.signal, background: true });
    }
  })();
  return {
    of: (appId) =>
      [...state.pods.values()]
        .filter((pod) => pod.metadata?.labels?.[sparkLabels.application] === appId)
        .map(toApplicationPod),
    ageMs: () => (state.seenMs === undefined ? undefined : clock.monotonic() - state.seenMs),
    stop() {
      ending.abort();
      return running;
    },
  };
}

interface TrackState {
  /** By UID. */
  pods: Map<string, Pod>;
  seenMs: number | undefined;
}

interface WatchContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly state: TrackState;
  readonly about: Parameters<KubeClient["watch"]>[0];
  readonly signal: StopSignal;
}

/** Applies events until the version has expired. @throws SubmitError when a watch fails */
async function watchFrom({ client, clock, state, about, signal }: WatchContext, listVersion: string): Promise<void> {
  let resourceVersion = listVersion;
  while (!signal.aborted) {
    const startedMs = clock.monotonic();
    for await (const event of client.watch<Pod>({ ...about, resourceVersion, timeoutSeconds: watchSeconds })) {
      state.seenMs = clock.monotonic();
      // 410: the version is too old. The caller lists the pods again.
      if (event.type === "ERROR") return;
      resourceVersion = event.object.metadata?.resourceVersion ?? resourceVersion;
      if (event.type === "DELETED") state.pods.delete(uidOf(event.object));
      else if (event.type !== "BOOKMARK") state.pods.set(uidOf(event.object), event.object);
    }
    // Without events, the end of a watch shows that the API still responds.
    state.seenMs = clock.monotonic();
    // A server that ends each watch at once must not be called in a loop.
    if (clock.monotonic() - startedMs < 1000) return;
  }
}

/** Converts a pod. */
export function toApplicationPod({ metadata, status }: Pod): ApplicationPod {
  const role = metadata?.labels?.[sparkLabels.role] === "driver" ? "driver" : "executor";
  return { role, phase: status?.phase ?? "" };
}

function uidOf({ metadata }: Pod): string {
  return metadata?.uid ?? `${metadata?.namespace}/${metadata?.name}`;
}
