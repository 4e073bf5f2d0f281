import type { Behaviors } from "../../../conf/behaviors.ts";
import { hasCode, isSubmitError, messageOf } from "../../../errors/submit-error.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import type { WatchEvent } from "../../../kube/watch-event.ts";

/** A changed pod. If `isDeleted`, the pod no longer exists and `pod` is its last known state. */
export interface DriverChange {
  readonly pod: Pod;
  readonly isDeleted: boolean;
}

/** State of the protocol that follows one pod. */
export interface PodWatchState {
  /** Last known state of the pod. */
  readonly pod: Pod;
  /** `poll` after the API denied the watch. */
  readonly mode: "watch" | "poll";
  /** 401 responses since the last successful request. */
  readonly unauthorized: Failures;
  /** Malformed responses since the last successful request. */
  readonly malformed: Failures;
}

/** Consecutive failures of one kind, and the time of the first one (monotonic ms). */
interface Failures {
  readonly attempts: number;
  readonly sinceMs: number;
}

/** Input of the protocol. */
export type PodWatchEvent =
  /** The pod was read. `undefined`: it does not exist, or another pod has its name. */
  | { readonly kind: "read"; readonly pod: Pod | undefined }
  /** The watch sent an event. */
  | { readonly kind: "watched"; readonly event: WatchEvent<Pod> }
  /** A request failed or broke. */
  | { readonly kind: "failed"; readonly error: unknown; readonly nowMs: number };

/** Action that a transition requests. */
type PodWatchEffect =
  | { readonly kind: "report"; readonly change: DriverChange }
  | { readonly kind: "logRecovery" }
  | { readonly kind: "logRetry" | "logPolling"; readonly reason: string }
  /** End this watch request and read the pod. */
  | { readonly kind: "endWatch" }
  | { readonly kind: "fail"; readonly error: unknown };

/** Result of a transition: the next state, and the actions in their order. */
interface PodWatchTransition {
  readonly state: PodWatchState;
  readonly effects: readonly PodWatchEffect[];
}

// Credential files may be replaced while the watch runs: keep retrying for as long as a renewal can take.
const maxUnauthorizedAttempts = 5;
const maxUnauthorizedMs = 120_000;
// A proxy may respond for an API server that restarts.
const maxMalformedMs = 120_000;

const noFailures: Failures = { attempts: 0, sinceMs: 0 };

/** Builds the state after the creation of `pod`. */
export function initialPodWatch(pod: Pod): PodWatchState {
  return { pod, mode: "watch", unauthorized: noFailures, malformed: noFailures };
}

/** Decides what follows from an event. */
export function nextPodWatch(
  state: PodWatchState,
  event: PodWatchEvent,
  behaviors: Pick<Behaviors, "watchRetries" | "watchPermission">,
): PodWatchTransition {
  switch (event.kind) {
    case "read":
      return afterRead(state, event.pod);
    case "watched":
      return afterWatchEvent(state, event.event);
    case "failed":
      return afterFailure(state, event, behaviors);
  }
}

function afterRead(state: PodWatchState, pod: Pod | undefined): PodWatchTransition {
  const change = pod === undefined ? { pod: state.pod, isDeleted: true } : { pod, isDeleted: false };
  const isUnchanged = !change.isDeleted && resourceVersionOf(change.pod) === resourceVersionOf(state.pod);
  return {
    state: { ...state, unauthorized: noFailures, malformed: noFailures, pod: change.pod },
    effects: [{ kind: "logRecovery" }, ...(isUnchanged ? [] : [{ kind: "report", change } as const])],
  };
}

function afterWatchEvent(state: PodWatchState, event: WatchEvent<Pod>): PodWatchTransition {
  // For example 410: reading the pod provides the current resource version.
  if (event.type === "ERROR") return { state, effects: [{ kind: "endWatch" }] };
  const recovery = { kind: "logRecovery" } as const;
  if (event.type === "BOOKMARK") return { state, effects: [recovery] };
  const pod = event.object;
  if (pod.metadata?.uid !== state.pod.metadata?.uid) return { state, effects: [recovery, { kind: "endWatch" }] };
  const change = { pod, isDeleted: event.type === "DELETED" };
  return { state: { ...state, malformed: noFailures, pod }, effects: [recovery, { kind: "report", change }] };
}

function afterFailure(
  before: PodWatchState,
  { error, nowMs }: Extract<PodWatchEvent, { readonly kind: "failed" }>,
  behaviors: Pick<Behaviors, "watchRetries" | "watchPermission">,
): PodWatchTransition {
  const state = countFailure(before, error, nowMs);
  const reason = messageOf(error);
  const fail = { state, effects: [{ kind: "fail", error }] } as const;
  if (hasCode(error, "SUBMIT_ERR_KUBE_UNAUTHORIZED")) {
    const { attempts, sinceMs } = state.unauthorized;
    const isExpired = behaviors.watchRetries === "spark" || nowMs - sinceMs > maxUnauthorizedMs;
    if (attempts >= maxUnauthorizedAttempts && isExpired) return fail;
  }
  const isMalformed = hasCode(error, "SUBMIT_ERR_KUBE_RESPONSE");
  if (isMalformed && state.malformed.attempts > 1 && nowMs - state.malformed.sinceMs > maxMalformedMs) return fail;
  const isDenied = statusOf(error)?.code === 403;
  if (isDenied && behaviors.watchPermission === "poll" && state.mode === "watch")
    return { state: { ...state, mode: "poll" }, effects: [{ kind: "logPolling", reason }] };
  return isTransient(error) ? { state, effects: [{ kind: "logRetry", reason }] } : fail;
}

function countFailure(state: PodWatchState, error: unknown, nowMs: number): PodWatchState {
  const count = ({ attempts, sinceMs }: Failures): Failures => ({
    attempts: attempts + 1,
    sinceMs: attempts === 0 ? nowMs : sinceMs,
  });
  if (hasCode(error, "SUBMIT_ERR_KUBE_UNAUTHORIZED")) return { ...state, unauthorized: count(state.unauthorized) };
  if (hasCode(error, "SUBMIT_ERR_KUBE_RESPONSE")) return { ...state, malformed: count(state.malformed) };
  return state;
}

/** Returns whether a retry can succeed: the API is unreachable, overloaded, or expects newer credentials. */
function isTransient(error: unknown): boolean {
  if (!isSubmitError(error)) return false;
  const { code, kind } = error;
  if (kind === "unreachable" || kind === "timeout") return true;
  if (code === "SUBMIT_ERR_KUBE_UNAUTHORIZED" || code === "SUBMIT_ERR_KUBE_RESPONSE") return true;
  const status = statusOf(error)?.code ?? 0;
  return status >= 500 || status === 429 || status === 410;
}

/** Returns the resource version of a pod; empty if it has none. */
export function resourceVersionOf({ metadata }: Pod): string {
  return metadata?.resourceVersion ?? "";
}
