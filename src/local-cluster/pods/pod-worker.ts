import { removeTree } from "../../host/remove-tree.ts";
import type { PodLogRequest, PodLogResult } from "../api/pod-logs.ts";
import { attachments } from "./attachments.ts";
import { containerLogs } from "./container-logs.ts";
import { imagePulls } from "./image-pulls.ts";
import type { NodeContext } from "./node-context.ts";
import { podPreparation } from "./pod-preparation.ts";
import { isFinished, markLostContainers, nextContainers, planStops, showBackOff } from "./pod-progress.ts";
import {
  delayContainer,
  initialState,
  type PodRuntimeState,
  startContainer,
  terminatePod,
  withContainer,
} from "./pod-runtime-state.ts";
import { podStatus } from "./pod-status.ts";
import { podTokens } from "./pod-tokens.ts";
import { fieldPathOf, type PodWorkerState } from "./pod-worker-state.ts";
import { runPodContainer } from "./run-container.ts";
import { runningContainers } from "./running-containers.ts";
import { isPod, type StoredPod } from "./stored-pod.ts";
import { podVolumes } from "./volumes.ts";

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

/**
 * Starts a pod that was bound to the node.
 *
 * @param runtime the state to resume from. @default a new pod's
 */
export function startPodWorker(context: NodeContext, bound: StoredPod, runtime?: PodRuntimeState): PodWorker {
  const { clock, files } = context.host;
  const { now } = clock;
  const attempts = new Set<Promise<void>>();
  let cancelWake: () => void = () => {};
  const initial = runtime ?? initialState(bound.spec, now());
  const workerState = podWorkerState(context, bound, { runtime: initial, requestSync: () => wake(now()) });
  const preparation = podPreparation(workerState, (message) => evict(workerState, message));

  function wake(at: number): void {
    cancelWake();
    if (!workerState.isRemoved) cancelWake = clock.after(Math.max(0, at - now()), step);
  }

  function step(): void {
    try {
      advance();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      workerState.record({ type: "Warning", reason: "FailedSync", message: `error syncing pod: ${message}` });
      wake(now() + syncRetryMs);
    }
  }

  /** Advances the pod as far as possible, writes its status, and schedules the next step. */
  function advance(): void {
    if (workerState.isRemoved || workerState.runtime.isTerminated) return;
    checkEnding(workerState);
    if (!workerState.runtime.isSetUp && workerState.runtime.termination === undefined) preparation.attempt();
    showBackOffs(workerState);
    const { start, nextCheckAt } = nextContainers(workerState.runtime, now());
    for (const name of start) {
      workerState.runtime = startContainer(workerState.runtime, name);
      const attempt = runPodContainer(workerState, name)
        .catch((error: unknown) => recordStartFailure(workerState, name, error))
        .finally(() => attempts.delete(attempt));
      attempts.add(attempt);
    }
    const killAt = workerState.running.stop(
      planStops(workerState.runtime),
      workerState.runtime.termination?.graceMs ?? graceMs(workerState.pod),
    );
    // The status shows a start when the container runs, and a termination when it is complete.
    if (start.length === 0 && workerState.runtime.termination === undefined) workerState.publish();
    if (isFinished(workerState.runtime)) {
      finish();
      return;
    }
    const isPrepared = workerState.runtime.isSetUp || workerState.runtime.termination !== undefined;
    const prepareAt = isPrepared ? undefined : preparation.retryAt();
    const times = [nextCheckAt, killAt, deadlineOf(workerState), prepareAt].filter(
      (time) => time !== undefined,
    );
    if (times.length > 0) wake(Math.min(...times));
  }

  function finish(): void {
    cancelWake();
    const isDeletion =
      workerState.runtime.termination !== undefined && workerState.runtime.termination.reason === undefined;
    if (isDeletion) workerState.runtime = markLostContainers(workerState.runtime, now());
    releaseResources();
    workerState.runtime = { ...workerState.runtime, isTerminated: true };
    workerState.publish();
    if (workerState.pod.metadata.deletionTimestamp !== undefined) finalizeDeletion(workerState);
  }

  function releaseResources(): void {
    preparation.stop();
    context.names.release(bound.metadata.uid);
    workerState.volumes.remove();
    removeTree(files, `${workerState.directory}/runs`);
  }

  async function end(): Promise<void> {
    workerState.isRemoved = true;
    cancelWake();
    await Promise.all([workerState.running.kill(), ...attempts]);
    releaseResources();
    context.events.forget(workerState.pod);
  }

  if (!workerState.runtime.isTerminated) {
    workerState.publish();
    wake(now());
  }
  return {
    update(changed) {
      const before = workerState.pod.metadata;
      workerState.pod = changed;
      const { labels, annotations } = changed.metadata;
      const hasNewLabels = labels !== before.labels || annotations !== before.annotations;
      if (hasNewLabels) preparation.refresh();
      const { deletionTimestamp, deletionGracePeriodSeconds } = changed.metadata;
      const isSame =
        deletionTimestamp === before.deletionTimestamp &&
        deletionGracePeriodSeconds === before.deletionGracePeriodSeconds;
      if (isSame) return;
      if (!workerState.runtime.isTerminated) {
        workerState.publish();
        wake(now());
      } else if (deletionGracePeriodSeconds !== 0) {
        finalizeDeletion(workerState);
      }
    },
    requestSync() {
      preparation.retryNow();
      for (const { name, state } of workerState.runtime.containers) {
        if (state.is === "waiting" && state.reason === "CreateContainerConfigError") {
          workerState.runtime = withContainer(workerState.runtime, name, () => ({ retryAt: 0 }));
        }
      }
      wake(now());
    },
    refresh: preparation.refresh,
    workerState,
    evict: (message) => evict(workerState, message),
    readLog(request) {
      const container = workerState.runtime.containers.find(({ name }) => name === request.container);
      return container === undefined
        ? { status: 400, message: `container ${request.container} is not valid for pod ${request.pod}` }
        : workerState.logs.read(request, container);
    },
    halt: end,
    async remove() {
      await end();
      removeTree(files, workerState.directory);
    },
  };
}

/** Records that a container could not be created for a reason outside the container, and schedules a retry. */
function recordStartFailure(workerState: PodWorkerState, name: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const retryAt = workerState.context.host.clock.now() + syncRetryMs;
  workerState.record({
    type: "Warning",
    reason: "Failed",
    message,
    fieldPath: fieldPathOf(workerState.pod, name),
  });
  workerState.runtime = delayContainer(workerState.runtime, name, {
    reason: "CreateContainerError",
    message,
    retryAt,
  });
  workerState.requestSync();
}

function podWorkerState(
  context: NodeContext,
  pod: StoredPod,
  { runtime: initial, requestSync }: Pick<PodWorkerState, "runtime" | "requestSync">,
): PodWorkerState {
  const { host, store } = context;
  const { uid, name, namespace } = pod.metadata;
  const directory = `${context.directory}/${uid}`;
  const facts: PodWorkerState["facts"] = () => ({
    pod: workerState.pod,
    address: workerState.address ?? "",
    hostAddress: context.api.address,
    allocatable: context.allocatable,
  });
  const workerState: PodWorkerState = {
    ...{ context, pod, directory, facts, requestSync },
    runtime: initial,
    address: undefined,
    isRemoved: false,
    oomKilled: new Set(),
    hostsFile: `${directory}/hosts`,
    logs: containerLogs(host, `${directory}/logs`),
    pulls: imagePulls(context.images, host.clock.now),
    running: runningContainers(host, requestSync),
    attachments: attachments(),
    volumes: podVolumes({
      ...{ host, store, pod, facts },
      directory: `${directory}/volumes`,
      memoryDirectory: `${context.memoryDirectory}/${uid}`,
      claims: context.claims,
      hostPathRoots: context.hostPathRoots,
      isFake: context.isFake,
      tokenFor: podTokens(context, pod),
    }),
    record(event) {
      if (!context.link.isDisconnected) context.events.record(workerState.pod, event);
    },
    publish() {
      if (context.link.isDisconnected) return;
      store.update("pods", namespace, name, (current) => {
        if (current.metadata.uid !== uid || !isPod(current)) return current;
        const { runtime, address } = workerState;
        const now = host.clock.now();
        const status = podStatus(current, runtime, { hostAddress: context.api.address, address, now });
        return { ...current, status };
      });
    },
  };
  return workerState;
}

/** Evicts a pod that exceeds its limits on the node, regardless of its restart policy. */
function evict(workerState: PodWorkerState, message: string): void {
  if (workerState.runtime.termination !== undefined) return;
  workerState.record({ type: "Warning", reason: "Evicted", message });
  workerState.runtime = terminatePod(workerState.runtime, {
    reason: "Evicted",
    message,
    graceMs: evictionGraceMs,
  });
  workerState.requestSync();
}

function showBackOffs(workerState: PodWorkerState): void {
  const before = workerState.runtime.containers;
  const pod = fullName(workerState.pod);
  workerState.runtime = showBackOff(workerState.runtime, workerState.context.host.clock.now(), pod);
  for (const [index, { name, state }] of workerState.runtime.containers.entries()) {
    if (state === before[index]?.state) continue;
    const message = `Back-off restarting failed container ${name} in pod ${pod}`;
    workerState.record({
      type: "Warning",
      reason: "BackOff",
      message,
      fieldPath: fieldPathOf(workerState.pod, name),
    });
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
