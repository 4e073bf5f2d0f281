import type { Clock } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Event } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** Events about other objects than the driver, read when they are wanted. */
export interface RelatedEvents {
  readonly read: (names: readonly string[]) => Promise<readonly Event[]>;
}

const rereadMs = 3000;
const mostEvents = 50;

/** Has read nothing yet. What may not be read is left out. */
export function relatedEvents({
  client,
  clock,
  namespace,
  signal,
}: {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly signal: AbortSignal;
}): RelatedEvents {
  const type = resourceTypes.event;
  let last: readonly Event[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async read(names) {
      if (names.length === 0 || clock.monotonic() - readAt < rereadMs) return last;
      readAt = clock.monotonic();
      const lists = names.map((name) => {
        const fieldSelector = `involvedObject.name=${name}`;
        return client.list<Event>({ type, namespace, fieldSelector, limit: mostEvents, signal });
      });
      const found = await Promise.allSettled(lists);
      last = found.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value.items : []));
      return last;
    },
  };
}
