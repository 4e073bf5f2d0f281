import type { Clock } from "../../host/host.ts";
import type { EventRecorder, ObjectEvent } from "../api/events.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { timestamp } from "../api/timestamp.ts";
import { type AggregatedEvent, type EventContent, eventAggregator } from "./event-aggregator.ts";

/** Recorded events of an object: event names by aggregation key. */
interface EventHistory {
  readonly aggregate: (content: EventContent) => AggregatedEvent;
  readonly names: Map<string, string>;
}

/** Maximum number of objects with a history. For older objects, a repeated event creates a new one. */
const maxHistories = 4096;

/** Creates a recorder that stores events as objects. */
export function eventRecorder(
  store: Store,
  clock: Pick<Clock, "now">,
  nameOf: (object: StoredObject) => string = eventNames(clock),
): EventRecorder {
  const histories = new Map<string, EventHistory>();

  function historyOf(uid: string): EventHistory {
    const known = histories.get(uid);
    if (known !== undefined) return known;
    const [oldest] = histories.size < maxHistories ? [] : histories.keys();
    if (oldest !== undefined) histories.delete(oldest);
    const history: EventHistory = { aggregate: eventAggregator(clock), names: new Map() };
    histories.set(uid, history);
    return history;
  }

  return {
    record(object, event) {
      const { component, host, type, reason, fieldPath } = event;
      const { namespace = "default", uid } = object.metadata;
      const { aggregate, names } = historyOf(uid);
      const source = `${component} ${host ?? ""}`;
      const aggregated = aggregate({ source, type, reason, message: event.message, fieldPath });
      if (aggregated === undefined) return;
      const { key, message } = aggregated;
      const now = timestamp(clock.now());
      const known = names.get(key);
      const countUp = (stored: StoredObject) => {
        return { ...stored, message, count: Number(stored["count"] ?? 1) + 1, lastTimestamp: now };
      };
      if (known !== undefined && store.update("events", namespace, known, countUp) !== undefined) return;
      const name = nameOf(object);
      names.set(key, name);
      const times = { count: 1, eventTime: null, firstTimestamp: now, lastTimestamp: now };
      store.create("events", { ...eventObject(object, { ...event, message }, name), ...times });
    },
    forget: (uid) => {
      histories.delete(uid);
    },
  };
}

/** Creates event names from the time in ns, because timestamps in seconds do not preserve the order. */
export function eventNames({ now }: Pick<Clock, "now">): (object: StoredObject) => string {
  let lastNs = 0n;
  return ({ metadata }) => {
    const ns = BigInt(now()) * 1_000_000n;
    lastNs = ns > lastNs ? ns : lastNs + 1n;
    return `${metadata.name}.${lastNs.toString(16)}`;
  };
}

/** Builds an event of an object, without its times. */
export function eventObject(
  { apiVersion, kind, metadata }: StoredObject,
  { type, reason, message, component, host, fieldPath }: ObjectEvent,
  name: string,
): object {
  const { name: objectName, namespace = "default", uid, resourceVersion } = metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: {
      ...{ apiVersion, kind, name: objectName, namespace, uid, resourceVersion },
      ...(fieldPath === undefined ? {} : { fieldPath }),
    },
    ...{ type, reason, message },
    ...{ reportingComponent: component, reportingInstance: host ?? "" },
    source: host === undefined ? { component } : { component, host },
  };
}
