import type { Diagnosis } from "../../../../../diagnosis/diagnosis.ts";
import { messageOf } from "../../../../../errors/submit-error.ts";
import { isFinalPhase } from "../../../../../kube/pod-phase.ts";
import type { Pod } from "../../../../../kube/types.ts";
import { localizingContainer } from "../../../../../values/staged-entry.ts";
import { propertiesIn } from "../../../diagnose/driver-properties.ts";
import { observer } from "../../../diagnose/observer.ts";
import { startDiagnosis } from "../../../diagnose/start-diagnosis.ts";
import { driverChanges } from "../../../watch/driver-changes.ts";
import { driverContainerName } from "../../../watch/driver-end.ts";
import { latestPod } from "../../../watch/latest-pod.ts";
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

/** Limits of waiting for an init container. */
export interface ReadyLimits {
  readonly timeoutMs: number;
  /** Whether to end at a problem that needs a change. */
  readonly failFast: boolean;
}

interface PodWaitState {
  readonly call: StagingCall;
  readonly pod: Pod;
  readonly latest: ReturnType<typeof latestPod>;
  readonly stopped: AbortController;
  readonly ended: AbortController;
  readonly signal: AbortSignal;
  isDeleted: boolean;
  /** Error of the pod's watch. */
  failure: unknown;
}

/** Starts to watch the pod. */
export function waitForInitContainer(call: StagingCall, pod: Pod): PodWait {
  const stopped = new AbortController();
  const ended = new AbortController();
  const callerSignal = call.signal === undefined ? [] : [call.signal];
  const wait: PodWaitState = {
    ...{ call, pod, latest: latestPod(pod), stopped, ended, isDeleted: false, failure: undefined },
    signal: AbortSignal.any([stopped.signal, ended.signal, ...callerSignal]),
  };
  void watchPod(wait).catch((error: unknown) => {
    wait.failure = error;
    ended.abort();
  });
  return {
    latest() {
      if (wait.failure !== undefined) throw wait.failure;
      return wait.latest.get();
    },
    isDelivered: () => hasFiles(wait.latest.get()),
    isDeleted: () => wait.isDeleted,
    signal: wait.signal,
    ready: (limits) => waitUntilReady(wait, limits),
    stop: () => stopped.abort(),
  };
}

async function watchPod(wait: PodWaitState): Promise<void> {
  const { call, pod, latest, ended, signal } = wait;
  const { host, client, log, driver } = call;
  const { clock, random } = host;
  const changes = driverChanges({
    ...{ client, clock, random, log, pod, traits: driver.traits, behaviors: watchBehaviors, signal },
  });
  for await (const { pod: current, isDeleted } of changes) {
    latest.set(current);
    wait.isDeleted = isDeleted;
    if (isDeleted || hasEnded(current) || hasFiles(current)) return ended.abort();
  }
}

async function waitUntilReady(wait: PodWaitState, limits: ReadyLimits): Promise<InitContainerOutcome> {
  const done = new AbortController();
  const signal = AbortSignal.any([wait.signal, done.signal]);
  try {
    const outcome = await new Promise<InitContainerOutcome>((resolve) => {
      const diagnosis = diagnoseWait(wait, signal, (problem) => {
        if (limits.failFast) resolve({ kind: "unrecoverable", diagnosis: problem });
      });
      void wait.latest.until(isWaiting, signal).then((pod) => {
        if (pod !== undefined) resolve({ kind: "waiting" });
        else resolve({ kind: hasFiles(wait.latest.get()) ? "delivered" : "ended" });
      });
      void wait.call.host.clock.sleep(limits.timeoutMs, { signal }).then(() => {
        if (!signal.aborted) resolve({ kind: "late", diagnosis: diagnosis.current() });
      });
    });
    if (wait.failure !== undefined) throw wait.failure;
    return outcome;
  } finally {
    done.abort();
  }
}

/** Logs the problems of a waiting pod. */
function diagnoseWait(
  { call, pod, latest }: PodWaitState,
  signal: AbortSignal,
  onUnrecoverable: (diagnosis: Diagnosis) => void,
): ReturnType<typeof startDiagnosis> {
  const { host, client, log, resources } = call;
  const { clock, random } = host;
  const container = driverContainerName(pod);
  return startDiagnosis({
    ...{ clock, log, latest, container, signal, onUnrecoverable },
    observer: observer({
      ...{ client, clock, random, latest, container, signal, properties: propertiesIn(resources) },
      onDenied: (error) => log("INFO", "Diagnosis", `Some causes may remain unknown: ${messageOf(error)}`),
    }),
  });
}

function hasEnded({ status }: Pod): boolean {
  return isFinalPhase(status?.phase);
}

/** Returns whether the pod has all files, although the last response was lost or another client sent them. */
function hasFiles({ status }: Pod): boolean {
  const own = status?.initContainerStatuses?.find(({ name }) => name === localizingContainer);
  return own?.state?.terminated?.exitCode === 0;
}

function isWaiting({ status }: Pod): boolean {
  const own = status?.initContainerStatuses?.find(({ name }) => name === localizingContainer);
  return own?.state?.running !== undefined;
}
