import type { Host } from "../../host/host.ts";
import { isObject } from "../api/json.ts";
import type { Store } from "../api/store.ts";
import { microTimestamp, timestamp } from "../api/timestamp.ts";
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
  let lastNs = 0n;
  // After the time, so that names are in the order of events: times of a second are the same.
  const nameOf = (pod: StoredPod) => {
    const ns = BigInt(host.clock.now()) * 1_000_000n;
    lastNs = ns > lastNs ? ns : lastNs + 1n;
    return `${pod.metadata.name}.${lastNs.toString(16)}`;
  };
  // For each pod: from what an event says to the name of its object.
  const known = new Map<string, Map<string, string>>();
  return {
    record(pod, event) {
      const { namespace, uid } = pod.metadata;
      const { type, reason, message, fieldPath } = event;
      const now = timestamp(host.clock.now());
      const key = JSON.stringify([type, reason, message, fieldPath]);
      const ofPod = known.get(uid) ?? new Map<string, string>();
      known.set(uid, ofPod);
      const name = ofPod.get(key);
      const counted = name === undefined ? undefined : countUp(store, namespace, name, now);
      if (counted !== undefined) return;
      const created = nameOf(pod);
      ofPod.set(key, created);
      store.create("events", {
        ...eventOf(pod, created, event),
        count: 1,
        eventTime: null,
        firstTimestamp: now,
        lastTimestamp: now,
        reportingComponent: "kubelet",
        reportingInstance: nodeName,
        source: { component: "kubelet", host: nodeName },
      });
    },
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
    forget: ({ metadata }) => {
      known.delete(metadata.uid);
    },
  };
}

function countUp(store: Store, namespace: string, name: string, now: string) {
  return store.update("events", namespace, name, (current) =>
    isObject(current)
      ? { ...current, count: Number(current["count"] ?? 1) + 1, lastTimestamp: now }
      : current,
  );
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
