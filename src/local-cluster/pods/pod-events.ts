import type { Host } from "../../host/host.ts";
import type { Store } from "../api/store.ts";
import { microTimestamp } from "../api/timestamp.ts";
import { eventNames, eventRecorder } from "../events/event-recorder.ts";
import type { StoredPod } from "./stored-object.ts";

/** Event about a pod. */
export interface PodEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Path in the pod's spec, e.g. `spec.containers{a}`. */
  readonly fieldPath?: string;
}

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
        ...eventOf(pod, nameOf(pod), event),
        action,
        eventTime: microTimestamp(host.clock.now()),
        firstTimestamp: null,
        lastTimestamp: null,
        reportingComponent: "default-scheduler",
        reportingInstance: `default-scheduler-${nodeName}`,
        source: {},
      });
    },
    forget: ({ metadata }) => kubelet.forget(metadata.uid),
  };
}

function eventOf(pod: StoredPod, name: string, { type, reason, message, fieldPath }: PodEvent) {
  const { namespace, uid, resourceVersion } = pod.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: "v1",
      kind: "Pod",
      name: pod.metadata.name,
      namespace,
      uid,
      resourceVersion,
      ...(fieldPath === undefined ? {} : { fieldPath }),
    },
    type,
    reason,
    message,
  };
}
