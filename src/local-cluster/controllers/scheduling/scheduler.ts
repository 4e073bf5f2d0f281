import type { Host } from "../../../host/host.ts";
import { disruptPod, withCondition } from "../../api/pod-condition.ts";
import type { Store, StoredObject, StoreEvent } from "../../api/store.ts";
import type { PodEvents } from "../../pods/pod-events.ts";
import { isPod, type StoredPod } from "../../pods/stored-object.ts";
import { findByKey, keyOf, type WorkQueue, workQueue } from "../controller.ts";
import { findNode } from "./find-node.ts";
import { changedPods, type FollowedPods, followPlacedPods } from "./placed-pods.ts";
import { findPreemption, priorityOf } from "./preemption.ts";
import { queueingHint } from "./queueing-hint.ts";
import { viewOf } from "./scheduling-view.ts";

interface SchedulerOptions {
  readonly host: Pick<Host, "clock">;
  readonly store: Store;
  readonly events: PodEvents;
  /** Whether the requests of all pods may exceed a node's resources. @default true */
  readonly overcommits?: boolean;
  /** Deletes a pod that another one preempts, with its grace period. */
  readonly deletePod: (pod: StoredPod) => void;
}

interface SchedulerState {
  readonly options: SchedulerOptions;
  /** Keys of pods that no node fits. */
  readonly waiting: Set<string>;
  /** Waiting pods for which a node is reserved because they preempted others there, by key. */
  readonly nominated: Map<string, StoredPod>;
  readonly placed: FollowedPods;
  readonly queue: WorkQueue;
}

/**
 * Binds pods to nodes, or records why no node fits and retries when a relevant object changes. Ignores pods with scheduling gates
 * and pods of other schedulers.
 *
 * @returns a function that stops it
 */
export function startScheduler(options: SchedulerOptions): () => void {
  const { host, store } = options;
  const queue = workQueue(host, (key) => schedule(scheduler, key));
  const scheduler: SchedulerState = {
    options,
    waiting: new Set(),
    nominated: new Map(),
    placed: followPlacedPods(store),
    queue,
  };
  for (const object of store.list("pods")) enqueue(scheduler, object);
  const unsubscribe = store.subscribe((event) => handleEvent(scheduler, event));
  return () => {
    unsubscribe();
    scheduler.placed.stop();
    queue.stop();
  };
}

function enqueue({ queue }: SchedulerState, object: StoredObject): void {
  if (isPod(object) && isSchedulable(object)) queue.add(keyOf(object));
}

function handleEvent(scheduler: SchedulerState, event: StoreEvent): void {
  if (event.collection === "pods" && event.type !== "DELETED") enqueue(scheduler, event.object);
  if (!queueingHint(event)) return;
  const priority = (key: string) => {
    const pod = findByKey(scheduler.options.store, "pods", key);
    return pod !== undefined && isPod(pod) ? priorityOf(pod) : 0;
  };
  const keys =
    scheduler.nominated.size === 0
      ? scheduler.waiting
      : [...scheduler.waiting].sort((a, b) => priority(b) - priority(a));
  for (const key of keys) scheduler.queue.add(key);
}

/** Schedules the pod with a key, if it still exists and is not bound. */
function schedule({ options, waiting, nominated, placed }: SchedulerState, key: string): void {
  const { store, overcommits = true } = options;
  const pod = findByKey(store, "pods", key);
  if (pod === undefined || !isPod(pod) || !isSchedulable(pod)) {
    waiting.delete(key);
    nominated.delete(key);
    return;
  }
  const added = [...nominated.values()].filter((other) => isReservedFor(other, pod));
  const view = viewOf(store, added.length === 0 ? placed : changedPods(placed, { added }));
  const placement = findNode(view, pod, { overcommits });
  if ("node" in placement) {
    waiting.delete(key);
    nominated.delete(key);
    bind(options, pod, placement.node);
    return;
  }
  waiting.add(key);
  const preemption = findPreemption(view, pod, { overcommits });
  const isReserved = preemption !== undefined || nominated.has(key);
  recordProblem(options, pod, isReserved ? placement.problem : placement.problem + placement.preemption);
  if (preemption === undefined) return;
  const reserved = nominate(options, pod, preemption.node);
  if (reserved !== undefined) nominated.set(key, reserved);
  for (const victim of preemption.victims) preempt(options, pod, victim);
}

/** Whether a pod must leave another one the node that is reserved for it. */
function isReservedFor(other: StoredPod, pod: StoredPod): boolean {
  return other.metadata.uid !== pod.metadata.uid && priorityOf(other) >= priorityOf(pod);
}

/** Reserves a node for a pod. @returns the updated pod */
function nominate({ store }: SchedulerOptions, { metadata }: StoredPod, node: string): StoredPod | undefined {
  const updated = store.update("pods", metadata.namespace, metadata.name, (current) =>
    isPod(current) && current.metadata.uid === metadata.uid
      ? { ...current, status: { ...current.status, nominatedNodeName: node } }
      : current,
  );
  return updated !== undefined && isPod(updated) ? updated : undefined;
}

/** Deletes a pod for one of higher priority. */
function preempt({ store, host, events, deletePod }: SchedulerOptions, pod: StoredPod, victim: StoredPod): void {
  if (victim.metadata.deletionTimestamp !== undefined) return;
  const { nodeName } = victim.spec;
  const message = "default-scheduler: preempting to accommodate a higher priority pod";
  disruptPod(store, victim, { reason: "PreemptionByScheduler", message, now: host.clock.now() });
  const text = `Preempted by pod ${pod.metadata.uid} on node ${nodeName}`;
  events.recordScheduling(victim, { type: "Normal", reason: "Preempted", message: text, action: "Preempting" });
  deletePod(victim);
}

function bind({ host, store, events }: SchedulerOptions, pod: StoredPod, nodeName: string): void {
  const { namespace, name, uid } = pod.metadata;
  const condition = { type: "PodScheduled", status: "True" };
  const bound = store.update("pods", namespace, name, (current) =>
    current.metadata.uid === uid && isPod(current) && isSchedulable(current)
      ? {
          ...current,
          spec: { ...current.spec, nodeName },
          status: withCondition(unreserved(current), condition, host.clock.now()),
        }
      : current,
  );
  if (bound === undefined) return;
  const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  events.recordScheduling(pod, { type: "Normal", reason: "Scheduled", message, action: "Binding" });
}

/** Removes the name of the node that was reserved. */
function unreserved({ status }: StoredPod): Pick<StoredPod, "status"> {
  const { nominatedNodeName: _, ...others } = status ?? {};
  return { status: others };
}

/** Records why no node fits, unless the pod already shows this message. */
function recordProblem({ host, store, events }: SchedulerOptions, pod: StoredPod, message: string): void {
  const { namespace, name, generation } = pod.metadata;
  const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (before?.message === message) return;
  events.recordScheduling(pod, { type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" });
  const condition = {
    ...{ type: "PodScheduled", status: "False", reason: "Unschedulable", message },
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  store.update("pods", namespace, name, (current) =>
    isPod(current) && isSchedulable(current)
      ? { ...current, status: withCondition(current, condition, host.clock.now()) }
      : current,
  );
}

/** Whether this scheduler must bind a pod. */
function isSchedulable({ metadata, spec }: StoredPod): boolean {
  const { schedulerName = "default-scheduler", schedulingGates = [], nodeName: bound = "" } = spec;
  const isWaiting = bound === "" && metadata.deletionTimestamp === undefined;
  return isWaiting && schedulerName === "default-scheduler" && schedulingGates.length === 0;
}
