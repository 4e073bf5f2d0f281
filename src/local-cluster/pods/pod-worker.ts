import { removeTree } from "../../host/remove-tree.ts";
import type { PodLogAnswer, PodLogRequest } from "../api/pod-logs.ts";
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
  readonly readLog: (request: PodLogRequest) => PodLogAnswer;
  readonly work: PodWorkerState;
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
  const work = podWorkerState(context, bound, { runtime: initial, requestSync: () => wake(now()) });
  const preparation = podPreparation(work, (message) => evict(work, message));

  function wake(at: number): void {
    cancelWake();
    if (!work.isRemoved) cancelWake = clock.after(Math.max(0, at - now()), step);
  }

  function step(): void {
    try {
      advance();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      work.record({ type: "Warning", reason: "FailedSync", message: `error syncing pod: ${message}` });
      wake(now() + syncRetryMs);
    }
  }

  /** Advances the pod as far as possible, writes its status, and schedules the next step. */
  function advance(): void {
    if (work.isRemoved || work.runtime.isTerminated) return;
    checkEnding(work);
    if (!work.runtime.isSetUp && work.runtime.termination === undefined) preparation.attempt();
    showBackOffs(work);
    const { start, nextCheckAt } = nextContainers(work.runtime, now());
    for (const name of start) {
      work.runtime = startContainer(work.runtime, name);
      const attempt = runPodContainer(work, name)
        .catch((error: unknown) => recordStartFailure(work, name, error))
        .finally(() => attempts.delete(attempt));
      attempts.add(attempt);
    }
    const killAt = work.running.stop(
      planStops(work.runtime),
      work.runtime.termination?.graceMs ?? graceMs(work.pod),
    );
    // The status shows a start when the container runs, and a termination when it is complete.
    if (start.length === 0 && work.runtime.termination === undefined) work.publish();
    if (isFinished(work.runtime)) {
      finish();
      return;
    }
    const isPrepared = work.runtime.isSetUp || work.runtime.termination !== undefined;
    const prepareAt = isPrepared ? undefined : preparation.retryAt();
    const times = [nextCheckAt, killAt, deadlineOf(work), prepareAt].filter((time) => time !== undefined);
    if (times.length > 0) wake(Math.min(...times));
  }

  function finish(): void {
    cancelWake();
    const isDeletion =
      work.runtime.termination !== undefined && work.runtime.termination.reason === undefined;
    if (isDeletion) work.runtime = markLostContainers(work.runtime, now());
    releaseResources();
    work.runtime = { ...work.runtime, isTerminated: true };
    work.publish();
    if (work.pod.metadata.deletionTimestamp !== undefined) finalizeDeletion(work);
  }

  function releaseResources(): void {
    preparation.stop();
    context.names.release(bound.metadata.uid);
    work.volumes.remove();
    removeTree(files, `${work.directory}/runs`);
  }

  async function end(): Promise<void> {
    work.isRemoved = true;
    cancelWake();
    await Promise.all([work.running.kill(), ...attempts]);
    releaseResources();
    context.events.forget(work.pod);
  }

  if (!work.runtime.isTerminated) {
    work.publish();
    wake(now());
  }
  return {
    update(changed) {
      const before = work.pod.metadata;
      work.pod = changed;
      const { labels, annotations } = changed.metadata;
      const hasNewLabels = labels !== before.labels || annotations !== before.annotations;
      if (hasNewLabels) preparation.refresh();
      const { deletionTimestamp, deletionGracePeriodSeconds } = changed.metadata;
      const isSame =
        deletionTimestamp === before.deletionTimestamp &&
        deletionGracePeriodSeconds === before.deletionGracePeriodSeconds;
      if (isSame) return;
      if (!work.runtime.isTerminated) {
        work.publish();
        wake(now());
      } else if (deletionGracePeriodSeconds !== 0) {
        finalizeDeletion(work);
      }
    },
    requestSync() {
      preparation.retryNow();
      for (const { name, state } of work.runtime.containers) {
        if (state.is === "waiting" && state.reason === "CreateContainerConfigError") {
          work.runtime = withContainer(work.runtime, name, () => ({ retryAt: 0 }));
        }
      }
      wake(now());
    },
    refresh: preparation.refresh,
    work,
    evict: (message) => evict(work, message),
    readLog(request) {
      const container = work.runtime.containers.find(({ name }) => name === request.container);
      return container === undefined
        ? { status: 400, message: `container ${request.container} is not valid for pod ${request.pod}` }
        : work.logs.read(request, container);
    },
    halt: end,
    async remove() {
      await end();
      removeTree(files, work.directory);
    },
  };
}

/** Records that a container could not be created for a reason outside the container, and schedules a retry. */
function recordStartFailure(work: PodWorkerState, name: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const retryAt = work.context.host.clock.now() + syncRetryMs;
  work.record({ type: "Warning", reason: "Failed", message, fieldPath: fieldPathOf(work.pod, name) });
  work.runtime = delayContainer(work.runtime, name, { reason: "CreateContainerError", message, retryAt });
  work.requestSync();
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
    pod: work.pod,
    address: work.address ?? "",
    hostAddress: context.api.address,
    allocatable: context.allocatable,
  });
  const work: PodWorkerState = {
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
      if (!context.link.isDisconnected) context.events.record(work.pod, event);
    },
    publish() {
      if (context.link.isDisconnected) return;
      store.update("pods", namespace, name, (current) => {
        if (current.metadata.uid !== uid || !isPod(current)) return current;
        const { runtime, address } = work;
        const now = host.clock.now();
        const status = podStatus(current, runtime, { hostAddress: context.api.address, address, now });
        return { ...current, status };
      });
    },
  };
  return work;
}

/** Evicts a pod that exceeds its limits on the node, regardless of its restart policy. */
function evict(work: PodWorkerState, message: string): void {
  if (work.runtime.termination !== undefined) return;
  work.record({ type: "Warning", reason: "Evicted", message });
  work.runtime = terminatePod(work.runtime, { reason: "Evicted", message, graceMs: evictionGraceMs });
  work.requestSync();
}

function showBackOffs(work: PodWorkerState): void {
  const before = work.runtime.containers;
  const pod = fullName(work.pod);
  work.runtime = showBackOff(work.runtime, work.context.host.clock.now(), pod);
  for (const [index, { name, state }] of work.runtime.containers.entries()) {
    if (state === before[index]?.state) continue;
    const message = `Back-off restarting failed container ${name} in pod ${pod}`;
    work.record({ type: "Warning", reason: "BackOff", message, fieldPath: fieldPathOf(work.pod, name) });
  }
}

function checkEnding(work: PodWorkerState): void {
  const deadline = deadlineOf(work);
  if (work.pod.metadata.deletionTimestamp !== undefined) {
    work.runtime = terminatePod(work.runtime, { reason: undefined, message: undefined });
  } else if (deadline !== undefined && work.context.host.clock.now() >= deadline) {
    const message = "Pod was active on the node longer than the specified deadline";
    work.record({ type: "Normal", reason: "DeadlineExceeded", message });
    work.runtime = terminatePod(work.runtime, { reason: "DeadlineExceeded", message });
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
