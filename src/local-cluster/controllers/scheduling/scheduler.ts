import type { Host } from "../../../host/host.ts";
import { withCondition } from "../../api/pod-condition.ts";
import type { Store, StoredObject, StoreEvent } from "../../api/store.ts";
import type { PodEvents } from "../../pods/pod-events.ts";
import { isPod, type StoredPod } from "../../pods/stored-object.ts";
import { findByKey, keyOf, type WorkQueue, workQueue } from "../controller.ts";
import { findNode } from "./find-node.ts";
import { followPlacedPods, type PlacedPods } from "./placed-pods.ts";
import { queueingHint } from "./queueing-hint.ts";
import { viewOf } from "./scheduling-view.ts";

interface SchedulerOptions {
  readonly host: Pick<Host, "clock">;
  readonly store: Store;
  readonly events: PodEvents;
  /** Whether the requests of all pods may exceed a node's resources. @default true */
  readonly overcommits?: boolean;
}

interface SchedulerState {
  readonly options: SchedulerOptions;
  /** Keys of pods that no node fits. */
  readonly waiting: Set<string>;
  readonly placed: PlacedPods;
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
  const scheduler: SchedulerState = { options, waiting: new Set(), placed: followPlacedPods(store), queue };
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
  for (const key of scheduler.waiting) scheduler.queue.add(key);
}

/** Schedules the pod with a key, if it still exists and is not bound. */
function schedule({ options, waiting, placed }: SchedulerState, key: string): void {
  const { store, overcommits = true } = options;
  const pod = findByKey(store, "pods", key);
  if (pod === undefined || !isPod(pod) || !isSchedulable(pod)) {
    waiting.delete(key);
    return;
  }
  const placement = findNode(viewOf(store, placed), pod, { overcommits });
  if ("node" in placement) {
    waiting.delete(key);
    bind(options, pod, placement.node);
  } else {
    waiting.add(key);
    recordProblem(options, pod, placement.problem);
  }
}

function bind({ host, store, events }: SchedulerOptions, pod: StoredPod, nodeName: string): void {
  const { namespace, name, uid } = pod.metadata;
  const condition = { type: "PodScheduled", status: "True" };
  const bound = store.update("pods", namespace, name, (current) =>
    current.metadata.uid === uid && isPod(current) && isSchedulable(current)
      ? { ...current, spec: { ...current.spec, nodeName }, status: withCondition(current, condition, host.clock.now()) }
      : current,
  );
  if (bound === undefined) return;
  const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  events.recordScheduling(pod, { type: "Normal", reason: "Scheduled", message, action: "Binding" });
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
