import { removeTree } from "../../host/remove-tree.ts";
import type { PodLogRequest, PodLogResult } from "../api/pod-logs.ts";
import type { NodeContext } from "./node-context.ts";
import { type PodPreparation, podPreparation } from "./pod-preparation.ts";
import { isFinished, markLostContainers, nextContainers, planStops, showBackOff } from "./pod-progress.ts";
import {
  delayContainer,
  initialState,
  type PodRuntimeState,
  startContainer,
  terminatePod,
  withContainer,
} from "./pod-runtime-state.ts";
import { createPodWorkerState, fieldPathOf, type PodWorkerState } from "./pod-worker-state.ts";
import { runPodContainer } from "./run-container.ts";
import type { StoredPod } from "./stored-object.ts";

/** Kubelet loop of one pod. */
export interface PodWorker {
  /** Handles a change of the pod's object. */
  readonly update: (pod: StoredPod) => void;
  /** Schedules a sync, because an object that the pod waits for may exist now. */
  readonly requestSync: () => void;
  /** Updates volumes, because their objects may have changed. */
  readonly refresh: () => void;
  readonly readLog: (request: PodLogRequest) => PodLogResult;
  readonly workerState: PodWorkerState;
  /** Evicts the pod. */
  readonly evict: (message: string) => void;
  /** Ends the pod immediately and removes its files, after its object was deleted. */
  readonly remove: () => Promise<void>;
  /** Ends the pod because the node stops; like `remove`, but keeps logs for the next node. */
  readonly halt: () => Promise<void>;
}

const evictionGraceMs = 1000;

/** Delay before a failed sync is retried, e.g. because the disk is full. */
const syncRetryMs = 5_000;

/** Sync loop of one pod. */
interface PodLoop {
  readonly worker: PodWorkerState;
  readonly preparation: PodPreparation;
  /** Container starts in progress. */
  readonly starts: Set<Promise<void>>;
  cancelWake: () => void;
}

/**
 * Starts a pod that was bound to the node.
 *
 * @param runtime the state to resume from. @default a new pod's
 */
export function startPodWorker(context: NodeContext, bound: StoredPod, runtime?: PodRuntimeState): PodWorker {
  const { now } = context.host.clock;
  const worker = createPodWorkerState(context, bound, {
    runtime: runtime ?? initialState(bound.spec, now()),
    requestSync: () => wake(loop, now()),
  });
  const preparation = podPreparation(worker, (message) => evict(worker, message));
  const loop: PodLoop = { worker, preparation, starts: new Set(), cancelWake: () => {} };
  if (!worker.runtime.isTerminated) {
    worker.publish();
    wake(loop, now());
  }
  return {
    update: (pod) => handleUpdate(loop, pod),
    requestSync: () => retryNow(loop),
    refresh: preparation.refresh,
    workerState: worker,
    evict: (message) => evict(worker, message),
    readLog: (request) => readLog(worker, request),
    halt: () => stop(loop),
    async remove() {
      await stop(loop);
      removeTree(context.host.files, worker.directory);
    },
  };
}

/** Schedules the next step. @param at ms since 1970 */
function wake(loop: PodLoop, at: number): void {
  const { worker } = loop;
  const { clock } = worker.context.host;
  loop.cancelWake();
  if (!worker.isRemoved) loop.cancelWake = clock.after(Math.max(0, at - clock.now()), () => step(loop));
}

function step(loop: PodLoop): void {
  const { worker } = loop;
  try {
    advance(loop);
  } catch (error) {
    const message = `error syncing pod: ${error instanceof Error ? error.message : String(error)}`;
    worker.record({ type: "Warning", reason: "FailedSync", message });
    wake(loop, worker.context.host.clock.now() + syncRetryMs);
  }
}

/** Advances the pod as far as possible, writes its status, and schedules the next step. */
function advance(loop: PodLoop): void {
  const { worker, preparation } = loop;
  if (worker.isRemoved || worker.runtime.isTerminated) return;
  checkEnding(worker);
  if (!worker.runtime.isSetUp && worker.runtime.termination === undefined) preparation.attempt();
  showBackOffs(worker);
  const { start, nextCheckAt } = nextContainers(worker.runtime, worker.context.host.clock.now());
  for (const name of start) startContainerRun(loop, name);
  const stopGraceMs = worker.runtime.termination?.graceMs ?? graceMs(worker.pod);
  const killAt = worker.running.stop(planStops(worker.runtime), stopGraceMs);
  // The status shows a start when the container runs, and a termination when it is complete.
  if (start.length === 0 && worker.runtime.termination === undefined) worker.publish();
  if (isFinished(worker.runtime)) {
    finish(loop);
    return;
  }
  const isPrepared = worker.runtime.isSetUp || worker.runtime.termination !== undefined;
  const prepareAt = isPrepared ? undefined : preparation.retryAt();
  const times = [nextCheckAt, killAt, deadlineOf(worker), prepareAt].filter((time) => time !== undefined);
  if (times.length > 0) wake(loop, Math.min(...times));
}

function startContainerRun({ worker, starts }: PodLoop, name: string): void {
  worker.runtime = startContainer(worker.runtime, name);
  const run = runPodContainer(worker, name)
    .catch((error: unknown) => recordStartFailure(worker, name, error))
    .finally(() => starts.delete(run));
  starts.add(run);
}

/** Ends the pod after its containers, and deletes its object if that was requested. */
function finish(loop: PodLoop): void {
  const { worker } = loop;
  loop.cancelWake();
  const { termination } = worker.runtime;
  const isDeletion = termination !== undefined && termination.reason === undefined;
  if (isDeletion) worker.runtime = markLostContainers(worker.runtime, worker.context.host.clock.now());
  releaseResources(loop);
  worker.runtime = { ...worker.runtime, isTerminated: true };
  worker.publish();
  if (worker.pod.metadata.deletionTimestamp !== undefined) finalizeDeletion(worker);
}

function releaseResources({ worker, preparation }: PodLoop): void {
  const { context, pod, volumes, directory } = worker;
  preparation.stop();
  context.names.release(pod.metadata.uid);
  if (worker.address !== undefined && pod.spec.hostNetwork !== true) context.network.detach(worker.address);
  volumes.remove();
  removeTree(context.host.files, `${directory}/runs`);
}

/** Kills the pod because its object was deleted or the node stops. */
async function stop(loop: PodLoop): Promise<void> {
  const { worker, starts } = loop;
  worker.isRemoved = true;
  loop.cancelWake();
  await Promise.all([worker.running.kill(), ...starts]);
  releaseResources(loop);
  worker.context.events.forget(worker.pod);
}

/** Handles a change of the pod's object. */
function handleUpdate(loop: PodLoop, changed: StoredPod): void {
  const { worker, preparation } = loop;
  const before = worker.pod.metadata;
  worker.pod = changed;
  const { labels, annotations, deletionTimestamp, deletionGracePeriodSeconds } = changed.metadata;
  if (labels !== before.labels || annotations !== before.annotations) preparation.refresh();
  const isSameDeletion =
    deletionTimestamp === before.deletionTimestamp && deletionGracePeriodSeconds === before.deletionGracePeriodSeconds;
  // The status shows the latest spec that the node has seen, and the deadline may have changed.
  if (isSameDeletion && changed.metadata.generation === before.generation) return;
  if (!worker.runtime.isTerminated) {
    worker.publish();
    wake(loop, worker.context.host.clock.now());
  } else if (deletionTimestamp !== undefined && deletionGracePeriodSeconds !== 0) {
    finalizeDeletion(worker);
  }
}

/** Retries everything that waits for other objects. */
function retryNow(loop: PodLoop): void {
  const { worker, preparation } = loop;
  preparation.retryNow();
  for (const { name, state } of worker.runtime.containers) {
    if (state.is === "waiting" && state.reason === "CreateContainerConfigError")
      worker.runtime = withContainer(worker.runtime, name, () => ({ retryAt: 0 }));
  }
  wake(loop, worker.context.host.clock.now());
}

function readLog({ runtime, logs }: PodWorkerState, request: PodLogRequest): PodLogResult {
  const container = runtime.containers.find(({ name }) => name === request.container);
  return container === undefined
    ? { status: 400, message: `container ${request.container} is not valid for pod ${request.pod}` }
    : logs.read(request, container);
}

/** Records that a container could not be created for a reason outside the container, and schedules a retry. */
function recordStartFailure(workerState: PodWorkerState, name: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const retryAt = workerState.context.host.clock.now() + syncRetryMs;
  workerState.record({ type: "Warning", reason: "Failed", message, fieldPath: fieldPathOf(workerState.pod, name) });
  const why = { reason: "CreateContainerError", message, retryAt };
  workerState.runtime = delayContainer(workerState.runtime, name, why);
  workerState.requestSync();
}

/** Evicts a pod that exceeds its limits on the node, regardless of its restart policy. */
function evict(workerState: PodWorkerState, message: string): void {
  if (workerState.runtime.termination !== undefined) return;
  workerState.record({ type: "Warning", reason: "Evicted", message });
  const termination = { reason: "Evicted", message, graceMs: evictionGraceMs };
  workerState.runtime = terminatePod(workerState.runtime, termination);
  workerState.requestSync();
}

function showBackOffs(workerState: PodWorkerState): void {
  const before = workerState.runtime.containers;
  const pod = fullName(workerState.pod);
  workerState.runtime = showBackOff(workerState.runtime, workerState.context.host.clock.now(), pod);
  for (const [index, { name, state }] of workerState.runtime.containers.entries()) {
    if (state === before[index]?.state) continue;
    const message = `Back-off restarting failed container ${name} in pod ${pod}`;
    workerState.record({ type: "Warning", reason: "BackOff", message, fieldPath: fieldPathOf(workerState.pod, name) });
  }
}

function checkEnding(workerState: PodWorkerState): void {
  const deadline = deadlineOf(workerState);
  if (workerState.pod.metadata.deletionTimestamp !== undefined) {
    workerState.runtime = terminatePod(workerState.runtime, { reason: undefined, message: undefined });
  } else if (deadline !== undefined && workerState.context.host.clock.now() >= deadline) {
    const message = "Pod was active on the node longer than the specified deadline";
    workerState.record({ type: "Normal", reason: "DeadlineExceeded", message });
    workerState.runtime = terminatePod(workerState.runtime, { reason: "DeadlineExceeded", message });
  }
}

/** Returns the pod's deadline, ms since 1970; `undefined` without one or once the pod is terminating. */
function deadlineOf({ pod, runtime }: PodWorkerState): number | undefined {
  const { activeDeadlineSeconds } = pod.spec;
  if (activeDeadlineSeconds === undefined || runtime.termination !== undefined) return undefined;
  return runtime.startTime + activeDeadlineSeconds * 1000;
}

function graceMs({ metadata, spec }: StoredPod): number {
  return (metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000;
}

function fullName({ metadata }: StoredPod): string {
  return `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
}

/** Sets the grace period to 0, so that the store deletes the object. */
function finalizeDeletion({ context, pod }: PodWorkerState): void {
  const { uid, namespace, name } = pod.metadata;
  context.store.update("pods", namespace, name, (current) =>
    current.metadata.uid === uid && current.metadata.deletionTimestamp !== undefined
      ? { ...current, metadata: { ...current.metadata, deletionGracePeriodSeconds: 0 } }
      : current,
  );
}
