import { isSubmitError } from "../../../errors/submit-error.ts";
import type { Clock } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { roleLabel } from "../../../plan/labels.ts";
import { type AppTimeline, emptyTimeline, recordPodEvent } from "./pod-timeline.ts";

const namespace = "default";

/** Follows the pods of Spark that appear from now on. */
export interface PodWatch {
  /** Ends the watch; gives what was seen. */
  readonly stop: () => Promise<AppTimeline>;
}

/** Begins to follow pods: when this resolves, none that is created afterwards is missed. */
export async function watchSparkPods(client: KubeClient, clock: Clock): Promise<PodWatch> {
  const ended = new AbortController();
  const call = { type: resourceTypes.pod, namespace, labelSelector: roleLabel };
  const { resourceVersion } = await client.list<Pod>(call);
  let story = emptyTimeline;
  const follow = async () => {
    const events = client.watch<Pod>({ ...call, resourceVersion, signal: ended.signal });
    for await (const event of events) story = recordPodEvent(story, event, clock.monotonic());
  };
  // What is shown of pods is an extra: the submission does not depend on it, and goes on whatever happens here.
  const failure = follow().then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    async stop() {
      ended.abort();
      const error = await failure;
      if (error !== undefined && !isSubmitError(error)) throw error;
      return story;
    },
  };
}
