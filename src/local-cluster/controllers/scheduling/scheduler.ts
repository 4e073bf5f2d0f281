import type { Host } from "../../../host/host.ts";
import type { Store, StoredObject } from "../../api/store.ts";
import { timestamp } from "../../api/timestamp.ts";
import type { PodEvents } from "../../pods/pod-events.ts";
import { isPod, type StoredPod } from "../../pods/stored-pod.ts";
import { workQueue } from "../controller.ts";
import { findNode } from "./find-node.ts";
import { followPlacedPods } from "./placed-pods.ts";
import { queueingHint } from "./queueing-hint.ts";
import { viewOf } from "./scheduling-view.ts";

/** Options of the scheduler. */
export interface SchedulerOptions {
  readonly host: Pick<Host, "clock">;
  readonly store: Store;
  readonly events: PodEvents;
  /** Whether the requests of all pods may exceed a node's resources. @default true */
  readonly overcommits?: boolean;
}

/**
 * Binds pods to a node at once, or says why not and tries again when something changes that may help. Pods with scheduling gates wait for them to go; those of another scheduler are left to it.
 *
 * @returns how to stop.
 */
export function startScheduler({ host, store, events, overcommits = true }: SchedulerOptions): () => void {
  const waiting = new Set<string>();
  const placed = followPlacedPods(store);
  const queue = workQueue(host, (key) => {
    const [namespace, name = ""] = key.split("/");
    const pod = store.get("pods", namespace, name);
    if (pod !== undefined && isPod(pod) && isSchedulable(pod)) schedule(pod);
    else waiting.delete(key);
  });

  function schedule(pod: StoredPod): void {
    const key = keyOf(pod);
    const placement = findNode(viewOf(store, placed), pod, { overcommits });
    if ("node" in placement) {
      waiting.delete(key);
      bind(pod, placement.node);
    } else {
      waiting.add(key);
      refuse(pod, placement.problem);
    }
  }

  function bind(pod: StoredPod, nodeName: string): void {
    const { namespace, name, uid } = pod.metadata;
    const bound = store.update("pods", namespace, name, (current) =>
      current.metadata.uid === uid && isPod(current) && isSchedulable(current)
        ? {
            ...current,
            spec: { ...current.spec, nodeName },
            status: withCondition(current, { type: "PodScheduled", status: "True" }),
          }
        : current,
    );
    if (bound === undefined) return;
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    events.recordScheduling(pod, { type: "Normal", reason: "Scheduled", message, action: "Binding" });
  }

  function refuse(pod: StoredPod, message: string): void {
    const { namespace, name, generation } = pod.metadata;
    const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (before?.message === message) return;
    events.recordScheduling(pod, {
      type: "Warning",
      reason: "FailedScheduling",
      message,
      action: "Scheduling",
    });
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    store.update("pods", namespace, name, (current) =>
      isPod(current) && isSchedulable(current)
        ? { ...current, status: withCondition(current, condition) }
        : current,
    );
  }

  function withCondition(
    { status = {} }: StoredPod,
    condition: { readonly type: string; readonly status: string },
  ) {
    const others = status.conditions?.filter(({ type }) => type !== condition.type) ?? [];
    const times = { lastProbeTime: null, lastTransitionTime: timestamp(host.clock.now()) };
    return { ...status, conditions: [...others, { ...condition, ...times }] };
  }

  function enqueue(object: StoredObject): void {
    if (isPod(object) && isSchedulable(object)) queue.add(keyOf(object));
  }

  for (const object of store.list("pods")) enqueue(object);
  const unsubscribe = store.subscribe((event) => {
    if (event.collection === "pods" && event.type !== "DELETED") enqueue(event.object);
    if (!queueingHint(event)) return;
    for (const key of waiting) queue.add(key);
  });
  return () => {
    unsubscribe();
    placed.stop();
    queue.stop();
  };
}

function isSchedulable({ metadata, spec }: StoredPod): boolean {
  const { schedulerName = "default-scheduler", schedulingGates = [], nodeName: bound = "" } = spec;
  const isWaiting = bound === "" && metadata.deletionTimestamp === undefined;
  return isWaiting && schedulerName === "default-scheduler" && schedulingGates.length === 0;
}

function keyOf({ metadata }: StoredPod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
