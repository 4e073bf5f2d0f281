import type { Diagnosis } from "../../../../../diagnosis/diagnosis.ts";
import { isFinalPhase } from "../../../../../kube/pod-phase.ts";
import type { Pod } from "../../../../../kube/types.ts";
import { localizingContainer } from "../../../../../values/staged-entry.ts";
import { propertiesIn } from "../../../diagnose/driver-properties.ts";
import { observer } from "../../../diagnose/observer.ts";
import { startDiagnosis } from "../../../diagnose/start-diagnosis.ts";
import { driverChanges } from "../../../watch/driver-changes.ts";
import { driverContainerName } from "../../../watch/driver-container.ts";
import { latestPod, type WatchedPod } from "../../../watch/latest-pod.ts";
import type { StagingCall } from "../../transfer/staging.ts";

const watchBehaviors = { watchRetries: "untilDeadline", watchPermission: "poll" } as const;

/** Outcome of waiting for an init container; `waiting` means that it waits for files. */
export interface InitContainerOutcome {
  readonly kind: "waiting" | "delivered" | "ended" | "late" | "unrecoverable";
  readonly diagnosis?: Diagnosis | undefined;
}

/** Observation of a pod whose init container waits for files. */
export interface PodWait {
  /** Returns the latest state of the pod. @throws the error of its watch */
  readonly latest: () => Pod;
  /** Returns whether the pod has all its files, from this or from another attempt. */
  readonly isDelivered: () => boolean;
  /** Returns whether the pod was deleted. */
  readonly isDeleted: () => boolean;
  /** Aborts when the pod has all its files, when it has ended, when its watch fails, or at `stop`. */
  readonly signal: AbortSignal;
  /**
   * Waits until the init container runs or cannot run any more, and logs problems meanwhile.
   *
   * @throws the error of the pod's watch
   */
  readonly ready: (limits: ReadyLimits) => Promise<InitContainerOutcome>;
  readonly stop: () => void;
}

interface ReadyLimits {
  readonly timeoutMs: number;
  /** Whether to end at a problem that needs a change. */
  readonly failFast: boolean;
}

interface PodWaitState {
  readonly call: StagingCall;
  readonly pod: WatchedPod;
  readonly ended: AbortController;
  isDeleted: boolean;
  /** Error of the pod's watch. */
  failure: unknown;
}

/** Starts to watch the pod. */
export function waitForInitContainer(call: StagingCall, pod: Pod): PodWait {
  const { client, host, log } = call;
  const { clock, random } = host;
  const stopped = new AbortController();
  const ended = new AbortController();
  const signal = AbortSignal.any([stopped.signal, ended.signal, ...(call.signal === undefined ? [] : [call.signal])]);
  const latest = latestPod(pod);
  const watched = { client, clock, random, log, latest, container: driverContainerName(pod), signal };
  const wait: PodWaitState = { call, pod: watched, ended, isDeleted: false, failure: undefined };
  void watchPod(wait).catch((error: unknown) => {
    wait.failure = error;
    ended.abort();
  });
  return {
    latest() {
      if (wait.failure !== undefined) throw wait.failure;
      return latest.get();
    },
    isDelivered: () => hasFiles(latest.get()),
    isDeleted: () => wait.isDeleted,
    signal,
    ready: (limits) => waitUntilReady(wait, limits),
    stop: () => stopped.abort(),
  };
}

async function watchPod(wait: PodWaitState): Promise<void> {
  const { traits } = wait.call.driver;
  for await (const { pod, isDeleted } of driverChanges({ ...wait.pod, traits, behaviors: watchBehaviors })) {
    wait.pod.latest.set(pod);
    wait.isDeleted = isDeleted;
    if (isDeleted || isFinalPhase(pod.status?.phase) || hasFiles(pod)) return wait.ended.abort();
  }
}

async function waitUntilReady(wait: PodWaitState, limits: ReadyLimits): Promise<InitContainerOutcome> {
  const done = new AbortController();
  const pod = { ...wait.pod, signal: AbortSignal.any([wait.pod.signal, done.signal]) };
  const { clock, latest, signal } = pod;
  try {
    const outcome = await new Promise<InitContainerOutcome>((resolve) => {
      const diagnosis = startDiagnosis({
        ...{ ...pod, observer: observer({ ...pod, properties: propertiesIn(wait.call.resources) }) },
        onUnrecoverable: (problem) => {
          if (limits.failFast) resolve({ kind: "unrecoverable", diagnosis: problem });
        },
      });
      void latest.until(isWaiting, signal).then((waiting) => {
        if (waiting !== undefined) resolve({ kind: "waiting" });
        else resolve({ kind: hasFiles(latest.get()) ? "delivered" : "ended" });
      });
      void clock.sleep(limits.timeoutMs, { signal }).then(() => {
        if (!signal.aborted) resolve({ kind: "late", diagnosis: diagnosis.current() });
      });
    });
    if (wait.failure !== undefined) throw wait.failure;
    return outcome;
  } finally {
    done.abort();
  }
}

/** Returns whether the pod has all files, although the last response was lost or another client sent them. */
function hasFiles(pod: Pod): boolean {
  return initContainerState(pod)?.terminated?.exitCode === 0;
}

function isWaiting(pod: Pod): boolean {
  return initContainerState(pod)?.running !== undefined;
}

function initContainerState({ status }: Pod) {
  return status?.initContainerStatuses?.find(({ name }) => name === localizingContainer)?.state;
}
