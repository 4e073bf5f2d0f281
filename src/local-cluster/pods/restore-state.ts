import { isFinalPhase } from "../../kube/pod-phase.ts";
import {
  type ContainerRuntimeState,
  initialState,
  type PodRuntimeState,
  type TerminatedState,
} from "./pod-runtime-state.ts";
import type { StoredPod } from "./stored-object.ts";

type ContainerStatus = NonNullable<NonNullable<StoredPod["status"]>["containerStatuses"]>[number];
type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

/** As containerd reports containers that it finds dead after a reboot of the machine. */
const lost = {
  exitCode: 255,
  reason: "Unknown",
  message: "The container ended with the cluster that ran it.",
} as const;

/**
 * Restores the runtime state of a pod that an earlier cluster ran: its running containers ended with that cluster. If
 * its restart policy allows it, the pod runs again with fresh volumes, so init containers also run again. Otherwise,
 * the pod has failed.
 *
 * Source: the kubelet 1.35 after a reboot of its machine.
 */
export function restoreState(pod: StoredPod, now: number): PodRuntimeState {
  const { phase, startTime, initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const statuses = new Map([...initContainerStatuses, ...containerStatuses].map((one) => [one.name, one]));
  const initial = initialState(pod.spec, startTime === undefined ? now : Date.parse(String(startTime)));
  const isTerminated = isFinalPhase(phase);
  const containers = initial.containers.map((fresh) => resumed(fresh, statuses.get(fresh.name), now));
  if (isTerminated) return { ...initial, containers, isSetUp: true, isTerminated };
  const hadRun = containers.some(({ state }) => state.is === "terminated" && state.exitCode === lost.exitCode);
  if (initial.restartPolicy !== "Never") return { ...initial, containers: containers.map(resetInitContainer) };
  if (!hadRun) return initial;
  const message = "The cluster that ran the pod ended, and its restart policy is Never.";
  return { ...initial, containers, termination: { reason: "NodeRestarted", message } };
}

function resumed(
  fresh: ContainerRuntimeState,
  status: ContainerStatus | undefined,
  now: number,
): ContainerRuntimeState {
  if (status === undefined) return fresh;
  const { state, lastState, restartCount: restarts, imageID: imageId = "" } = status;
  const last = lastState?.terminated === undefined ? undefined : terminated(lastState.terminated);
  const kept = { ...fresh, last, restarts, imageId };
  if (state?.terminated !== undefined) return { ...kept, state: terminated(state.terminated) };
  if (state?.running === undefined) return kept;
  const startedAt = msOf(state.running.startedAt);
  const end = { id: status.containerID ?? "", ...lost, startedAt, finishedAt: now };
  return { ...kept, state: { is: "terminated", ...end } };
}

/** Resets an init container that succeeded, because it must run again. */
function resetInitContainer(container: ContainerRuntimeState): ContainerRuntimeState {
  const { role, state, last } = container;
  if (role !== "init" || state.is !== "terminated" || state.exitCode !== 0) return container;
  return { ...container, state: { is: "waiting", reason: "PodInitializing" }, last: last ?? state };
}

function terminated(status: Terminated): TerminatedState {
  const { containerID: id = "", exitCode, reason = "", message, startedAt, finishedAt } = status;
  return {
    ...{ is: "terminated", id, exitCode, reason },
    ...(message === undefined ? {} : { message }),
    ...{ startedAt: msOf(startedAt), finishedAt: msOf(finishedAt) },
  };
}

/** Parses a time; returns 0 if it is absent. */
function msOf(time: unknown): number {
  return typeof time === "string" ? Date.parse(time) : 0;
}
