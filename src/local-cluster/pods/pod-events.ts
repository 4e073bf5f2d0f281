import type { Host } from "../../host/host.ts";
import type { Store } from "../api/store.ts";
import { microTimestamp } from "../api/timestamp.ts";
import { eventNames, eventRecorder } from "../events/event-recorder.ts";
import type { StoredPod } from "./stored-pod.ts";

/** Something that happened to a pod. */
export interface PodEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Of the pod's spec, e.g. `spec.containers{a}`. */
  readonly fieldPath?: string;
}

/** Tells users what happened to pods. */
export interface PodEvents {
  /** By the kubelet: the same thing again counts up. */
  readonly record: (pod: StoredPod, event: PodEvent) => void;
  /** By the scheduler, in the form of its newer events: nothing is counted. */
  readonly recordScheduling: (pod: StoredPod, event: PodEvent & { readonly action: string }) => void;
  /** The pod is gone: nothing of it counts up any more. */
  readonly forget: (pod: StoredPod) => void;
}

/** Keeps events as objects of the store. */
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
