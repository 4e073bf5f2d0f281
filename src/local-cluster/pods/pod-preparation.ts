import type { PodWorkerState } from "./pod-worker-state.ts";
import { type LimitedDirectory, limitedPod, watchStorage } from "./storage-watch.ts";

/** Preparation of a pod before its containers start: directories, volumes, an address. */
export interface PodPreparation {
  /** Prepares the pod, unless the last attempt was too recent. */
  readonly attempt: () => void;
  /** Returns the time of the next attempt, ms since 1970. */
  readonly retryAt: () => number;
  /** Allows the next attempt immediately, because a missing object may exist now. */
  readonly retryNow: () => void;
  /** Updates volumes from their objects. */
  readonly refresh: () => void;
  /** Stops watching the pod's storage use. */
  readonly stop: () => void;
}

const initialDelayMs = 500;
const maxDelayMs = 120_000;

/**
 * Creates the preparation; nothing happens before `attempt`. @param onExcess called when the pod exceeds a storage
 * limit
 */
export function podPreparation(workerState: PodWorkerState, onExcess: (message: string) => void): PodPreparation {
  const { context } = workerState;
  const { host } = context;
  const { now } = host.clock;
  let delayMs = 0;
  let retryAt = 0;
  let stopWatching: () => void = () => {};

  function recordFailedMounts(problems: readonly string[]): void {
    for (const message of problems) workerState.record({ type: "Warning", reason: "FailedMount", message });
  }

  function make(): boolean {
    if (!context.isFake) host.files.makeDirectory(workerState.directory, { mode: 0o700 });
    const problems = workerState.volumes.setUp();
    recordFailedMounts(problems);
    if (problems.length > 0) return false;
    workerState.address = context.names.assign(workerState.pod, workerState.hostsFile);
    if (workerState.address !== undefined) {
      if (workerState.pod.spec.hostNetwork !== true) context.network.attach(workerState.address);
      return true;
    }
    const message = "Failed to create pod sandbox: all addresses of the cluster are in use";
    workerState.record({ type: "Warning", reason: "FailedCreatePodSandBox", message });
    return false;
  }

  return {
    attempt() {
      if (now() < retryAt) return;
      if (make()) {
        workerState.runtime = { ...workerState.runtime, isSetUp: true };
        stopWatching = watchStorage(host, limitedDirectories(workerState), onExcess);
        return;
      }
      delayMs = delayMs === 0 ? initialDelayMs : Math.min(delayMs * 2, maxDelayMs);
      retryAt = now() + delayMs;
    },
    retryAt: () => retryAt,
    retryNow() {
      retryAt = 0;
    },
    refresh() {
      if (workerState.runtime.isSetUp && !workerState.runtime.isTerminated)
        recordFailedMounts(workerState.volumes.refresh());
    },
    stop: () => stopWatching(),
  };
}

function limitedDirectories({ context, volumes, pod, directory }: PodWorkerState): readonly LimitedDirectory[] {
  return context.isFake ? [] : [...volumes.limited(), ...limitedPod(pod.spec, directory)];
}
