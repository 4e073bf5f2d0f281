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

const waiting = { watchRetries: "untilDeadline", watchPermission: "poll" } as const;

/** What became of the waiting for an init container. */
export interface InitContainerOutcome {
  readonly kind: "waiting" | "delivered" | "ended" | "late" | "unrecoverable";
  readonly diagnosis?: Diagnosis | undefined;
}

/** A pod whose init container is to wait for us. */
export interface PodWait {
  /** As last seen. @throws why it could not be seen any longer */
  readonly latest: () => Pod;
  /** It has all its files, whoever sent them. */
  readonly isDelivered: () => boolean;
  /** Somebody deleted it. */
  readonly isDeleted: () => boolean;
  /** Aborts when the pod has all its files, has ended or nobody wants it any more. */
  readonly signal: AbortSignal;
  /** Resolves when the init container runs, or will not; tells meanwhile what keeps it. */
  readonly ready: (limitMs: number, wishes: { readonly failFast: boolean }) => Promise<InitContainerOutcome>;
  readonly stop: () => void;
}

/** Begins to watch the pod. */
export function waitForInitContainer(call: StagingCall, pod: Pod): PodWait {
  const { host, client, log, driver, signal: given } = call;
  const { clock, random } = host;
  const over = new AbortController();
  const ended = new AbortController();
  const signal = AbortSignal.any([over.signal, ended.signal, ...(given === undefined ? [] : [given])]);
  const latest = latestPod(pod);
  let isDeleted = false;
  const watching = async () => {
    const { traits } = driver;
    const watch = { client, clock, random, log, pod, traits, behaviors: waiting, signal };
    for await (const change of driverChanges(watch)) {
      latest.set(change.pod);
      isDeleted = change.isDeleted;
      if (isDeleted || hasEnded(change.pod) || hasFiles(change.pod)) return ended.abort();
    }
  };
  let failure: unknown;
  void watching().catch((error: unknown) => {
    failure = error;
    ended.abort();
  });
  return {
    latest() {
      if (failure !== undefined) throw failure;
      return latest.get();
    },
    isDelivered: () => hasFiles(latest.get()),
    isDeleted: () => isDeleted,
    signal,
    async ready(limitMs, { failFast }) {
      const done = new AbortController();
      const looking = AbortSignal.any([signal, done.signal]);
      const container = driverContainerName(pod);
      const seen = observer({
        ...{ client, clock, random, latest, container, signal: looking },
        properties: propertiesIn(call.resources),
        onRefused: (error) => log("INFO", "Diagnosis", `Reasons may stay in the dark: ${messageOf(error)}`),
      });
      try {
        const awaited = await new Promise<InitContainerOutcome>((resolve) => {
          const parts = { clock, log, latest, container, observer: seen, signal: looking };
          const onUnrecoverable = (diagnosis: Diagnosis) => {
            if (failFast) resolve({ kind: "unrecoverable", diagnosis });
          };
          const trouble = startDiagnosis({ ...parts, onUnrecoverable });
          void latest.until(isWaiting, looking).then((now) => {
            if (now !== undefined) resolve({ kind: "waiting" });
            else resolve({ kind: hasFiles(latest.get()) ? "delivered" : "ended" });
          });
          void clock.sleep(limitMs, { signal: looking }).then(() => {
            if (!looking.aborted) resolve({ kind: "late", diagnosis: trouble.current() });
          });
        });
        if (failure !== undefined) throw failure;
        return awaited;
      } finally {
        done.abort();
      }
    },
    stop: () => over.abort(),
  };
}

function hasEnded({ status }: Pod): boolean {
  return isFinalPhase(status?.phase);
}

/** Its answer to the last byte may have got lost, or another client with the same token sent them. */
function hasFiles({ status }: Pod): boolean {
  const own = status?.initContainerStatuses?.find(({ name }) => name === localizingContainer);
  return own?.state?.terminated?.exitCode === 0;
}

function isWaiting({ status }: Pod): boolean {
  const own = status?.initContainerStatuses?.find(({ name }) => name === localizingContainer);
  return own?.state?.running !== undefined;
}
