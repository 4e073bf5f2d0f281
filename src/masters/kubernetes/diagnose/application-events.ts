import { resourceTypes } from "../../../kube/resources.ts";
import type { Event, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { executorPrefixes, executorPrefixOf } from "./executor-names.ts";

/**
 * An event about an object of an application. Repeated events are one.
 *
 * @example
 * ```ts
 * const print = ({ time, object, reason, message }: ApplicationEvent) => console.log(time, object, reason, message);
 * ```
 */
export interface ApplicationEvent {
  /** Last occurrence, as in the API (RFC 3339). */
  readonly time: string;
  /** `Normal` or `Warning`. */
  readonly type: string;
  readonly reason: string;
  /** E.g. `Pod/pi-driver`. */
  readonly object: string;
  readonly count: number;
  readonly message: string;
}

/**
 * Lists the events about the driver, its executors and the objects that are named after them, also those that no longer exist. The oldest
 * comes first.
 *
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function applicationEvents(client: KubeClient, driver: Pod): Promise<readonly ApplicationEvent[]> {
  return sortedEvents(await listApplicationEvents(client, driver));
}

/**
 * Lists these events as the API has them.
 *
 * @param executors names of known executors, also deleted ones
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function listApplicationEvents(
  client: KubeClient,
  driver: Pod,
  executors: readonly string[] = [],
): Promise<readonly Event[]> {
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const prefix = `${name.replace(/-driver$/, "")}-`;
  const isOfDriver = (object: string) => object === name || object.startsWith(prefix);
  const found = await client.listSelected({ type: resourceTypes.event, namespace }, (event: Event) => {
    const { name: object = "" } = event.involvedObject;
    return isOfDriver(object) || executorPrefixOf(object) !== undefined ? [event] : [];
  });
  const events = found.flat();
  const known = executors.flatMap((executor) => executorPrefixOf(executor) ?? []);
  const prefixes = known.length > 0 ? new Set(known) : await executorPrefixes(client, driver, events);
  return events.filter(({ involvedObject: { name: object = "" } }) => {
    const own = executorPrefixOf(object);
    return isOfDriver(object) || (own !== undefined && prefixes.has(own));
  });
}

/** Returns events in the form that is printed, the oldest first. */
export function sortedEvents(events: readonly Event[]): readonly ApplicationEvent[] {
  return events.map(toApplicationEvent).sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

function toApplicationEvent(event: Event): ApplicationEvent {
  const { involvedObject, metadata, series } = event;
  return {
    time: series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp ?? "",
    type: event.type ?? "",
    reason: event.reason ?? "",
    object: `${involvedObject.kind}/${involvedObject.name}`,
    count: series?.count ?? event.count ?? 1,
    message: event.message ?? "",
  };
}
