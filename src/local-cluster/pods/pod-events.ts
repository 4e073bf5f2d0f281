import type { Host } from "../../host/host.ts";
import type { ObjectEvent } from "../api/events.ts";
import type { Store } from "../api/store.ts";
import { microTimestamp } from "../api/timestamp.ts";
import { eventNames, eventObject, eventRecorder } from "../events/event-recorder.ts";
import type { StoredPod } from "./stored-object.ts";

/** Event about a pod. */
export type PodEvent = Omit<ObjectEvent, "component" | "host">;

/** Recorder of events about pods. */
export interface PodEvents {
  /** Records an event of the kubelet; a repetition increments its count. */
  readonly record: (pod: StoredPod, event: PodEvent) => void;
  /** Records an event of the scheduler, in the format of newer events without counts. */
  readonly recordScheduling: (pod: StoredPod, event: PodEvent & { readonly action: string }) => void;
  /** Discards the counts of a deleted pod. */
  readonly forget: (pod: StoredPod) => void;
}

/** Records events as objects of the store. */
export function podEvents(store: Store, host: Pick<Host, "clock">, nodeName: string): PodEvents {
  const nameOf = eventNames(host.clock);
  const kubelet = eventRecorder(store, host.clock, nameOf);
  return {
    record: (pod, event) => kubelet.record(pod, { ...event, component: "kubelet", host: nodeName }),
    recordScheduling(pod, { action, ...event }) {
      store.create("events", {
        ...eventObject(pod, { ...event, component: "default-scheduler" }, nameOf(pod)),
        ...{ action, eventTime: microTimestamp(host.clock.now()), firstTimestamp: null, lastTimestamp: null },
        ...{ reportingInstance: `default-scheduler-${nodeName}`, source: {} },
      });
    },
    forget: ({ metadata }) => kubelet.forget(metadata.uid),
  };
}
