import { resourceTypes } from "../../../kube/resources.ts";
import type { Event } from "../../../kube/types.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";

/** Events about objects other than the driver. */
export interface RelatedEvents {
  /** Reads the events about the named objects; returns the last result if it is less than 3 s old. */
  readonly read: (names: readonly string[]) => Promise<readonly Event[]>;
}

const rereadMs = 3000;
const maxEventsPerObject = 50;

/** Creates a reader. It omits events that the account must not read. */
export function relatedEvents(
  call: Pick<WatchedPod, "client" | "clock" | "signal"> & { readonly namespace: string },
): RelatedEvents {
  const { client, clock, namespace, signal } = call;
  const type = resourceTypes.event;
  let last: readonly Event[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async read(names) {
      if (names.length === 0 || clock.monotonic() - readAt < rereadMs) return last;
      readAt = clock.monotonic();
      const lists = names.map((name) => {
        const fieldSelector = `involvedObject.name=${name}`;
        return client.list<Event>({ type, namespace, fieldSelector, limit: maxEventsPerObject, signal });
      });
      const results = await Promise.allSettled(lists);
      last = results.flatMap((result) => (result.status === "fulfilled" ? result.value.items : []));
      return last;
    },
  };
}
