import { isFinalPhase } from "../kube/pod-phase.ts";
import type { Pod } from "../kube/types.ts";
import { applicationState } from "../masters/kubernetes/applications/application-summary.ts";
import { type LatestPod, latestPod } from "../masters/kubernetes/watch/latest-pod.ts";
import type { FollowedState } from "./application.ts";
import { type DriverWatch, reduceDriver } from "./driver-watch.ts";

/** Last known state of a driver. */
export interface DriverState {
  readonly latest: LatestPod;
  readonly state: () => FollowedState;
  /** Sets a state that was read otherwise; `undefined`: the pod does not exist. */
  readonly set: (pod: Pod | undefined) => void;
  /** Resolves at the driver's end. @throws the API's error if drivers may not be read; the reason of an aborted signal */
  readonly untilEnd: (signal?: AbortSignal) => Promise<void>;
  /** Aborts when the driver is no longer followed by choice. */
  readonly closed: AbortSignal;
  readonly close: () => void;
}

/** Follows a driver from its last known state to its end, and again for a wait after the API denied it. */
export function followDriver(watch: DriverWatch, pod: Pod, onEnd: () => void): DriverState {
  const latest = latestPod(reduceDriver(pod));
  const closed = new AbortController();
  let isDeleted = false;
  let stop: (() => void) | undefined;
  let denied = new AbortController();
  const hasEnded = () => isDeleted || isFinalPhase(latest.get().status?.phase);
  const stopAtEnd = () => {
    if (!hasEnded() || stop === undefined) return;
    stop();
    stop = undefined;
    onEnd();
  };
  const set = (state: Pod | undefined) => {
    isDeleted ||= state === undefined;
    latest.set(state === undefined ? latest.get() : reduceDriver(state));
    stopAtEnd();
  };
  const follow = () => {
    if (stop !== undefined || hasEnded() || closed.signal.aborted) return;
    denied = new AbortController();
    stop = watch.follow(latest.get(), {
      onDriver(driver) {
        isDeleted ||= driver.isDeleted;
        latest.set(driver.object);
        stopAtEnd();
      },
      onDenied(error) {
        stop?.();
        stop = undefined;
        denied.abort(error);
      },
    });
    stopAtEnd();
  };
  follow();
  if (stop === undefined) onEnd();
  return {
    latest,
    state: () => (isDeleted && !isFinalPhase(latest.get().status?.phase) ? "deleted" : applicationState(latest.get())),
    set,
    async untilEnd(caller) {
      follow();
      const signal = AbortSignal.any([closed.signal, denied.signal, ...(caller === undefined ? [] : [caller])]);
      await latest.until(hasEnded, signal);
      if (!hasEnded()) throw signal.reason;
    },
    closed: closed.signal,
    close() {
      stop?.();
      stop = undefined;
      closed.abort(new DOMException("The application is closed.", "AbortError"));
      onEnd();
    },
  };
}
