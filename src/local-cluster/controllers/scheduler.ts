import type { Host } from "../../host/host.ts";
import type { Node } from "../../kube/types.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { timestamp } from "../api/timestamp.ts";
import { nodeName } from "../pods/node-object.ts";
import type { PodEvents } from "../pods/pod-events.ts";
import { isPod, type StoredPod } from "../pods/stored-pod.ts";
import { workQueue } from "./controller.ts";
import { whyUnschedulable } from "./node-fit.ts";

/** What the scheduler works with. */
export interface SchedulerOptions {
  readonly host: Pick<Host, "clock">;
  readonly store: Store;
  readonly events: PodEvents;
}

/**
 * Binds pods to the one node at once, or says why not and tries again when a claim or the node changes. Pods with
 * scheduling gates wait for them to go; those of another scheduler are left to it.
 *
 * @returns how to stop.
 */
export function startScheduler({ host, store, events }: SchedulerOptions): () => void {
  const waiting = new Set<string>();
  const queue = workQueue(host, (key) => {
    const [namespace, name = ""] = key.split("/");
    const pod = store.get("pods", namespace, name);
    if (pod !== undefined && isPod(pod) && isOurs(pod)) schedule(pod);
    else waiting.delete(key);
  });

  function schedule(pod: StoredPod): void {
    const node = store.get("nodes", undefined, nodeName);
    if (node === undefined || !isNode(node)) return;
    const key = keyOf(pod);
    const reason = whyUnschedulable(store, node, pod);
    if (reason === undefined) {
      waiting.delete(key);
      bind(pod);
    } else {
      waiting.add(key);
      refuse(pod, reason);
    }
  }

  function bind(pod: StoredPod): void {
    const { namespace, name, uid } = pod.metadata;
    const bound = store.update("pods", namespace, name, (current) =>
      current.metadata.uid === uid && isPod(current) && isOurs(current)
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
      isPod(current) && isOurs(current) ? { ...current, status: withCondition(current, condition) } : current,
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

  function consider(object: StoredObject): void {
    if (isPod(object) && isOurs(object)) queue.add(keyOf(object));
  }

  for (const object of store.list("pods")) consider(object);
  const unsubscribe = store.subscribe(({ type, collection, object }) => {
    if (collection === "pods" && type !== "DELETED") consider(object);
    if (collection === "nodes" || collection === "persistentvolumeclaims") {
      for (const key of waiting) queue.add(key);
    }
  });
  return () => {
    unsubscribe();
    queue.stop();
  };
}

function isOurs({ metadata, spec }: StoredPod): boolean {
  const { schedulerName = "default-scheduler", schedulingGates = [], nodeName: bound = "" } = spec;
  const isWaiting = bound === "" && metadata.deletionTimestamp === undefined;
  return isWaiting && schedulerName === "default-scheduler" && schedulingGates.length === 0;
}

function isNode(object: StoredObject): object is StoredObject & Node {
  return object.kind === "Node";
}

function keyOf({ metadata }: StoredPod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
