import { isSubmitError } from "../../../errors/submit-error.ts";
import type { Clock } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { roleLabel } from "../../../plan/labels.ts";
import { type AppTimeline, emptyTimeline, recordPodEvent } from "./pod-timeline.ts";

const namespace = "default";

/** A watch of Spark's pods. */
interface PodWatch {
  /** Stops the watch. @returns what it recorded */
  readonly stop: () => Promise<AppTimeline>;
}

/** Starts to watch pods. Pods that are created after this resolves are never missed. */
export async function watchSparkPods(client: KubeClient, clock: Clock): Promise<PodWatch> {
  const ended = new AbortController();
  const call = { type: resourceTypes.pod, namespace, labelSelector: roleLabel };
  const { resourceVersion } = await client.list<Pod>(call);
  let timeline = emptyTimeline;
  const follow = async () => {
    const events = client.watch<Pod>({ ...call, resourceVersion, signal: ended.signal });
    for await (const event of events) timeline = recordPodEvent(timeline, event, clock.monotonic());
  };
  // The submission does not depend on the summary, so it continues after an error here.
  const failure = follow().then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    async stop() {
      ended.abort();
      const error = await failure;
      if (error !== undefined && !isSubmitError(error)) throw error;
      return timeline;
    },
  };
}
