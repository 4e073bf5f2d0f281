import { isFinalPhase } from "../../kube/pod-phase.ts";
import type { ContainerRuntimeState, PodRuntimeState, TerminatedState } from "./pod-runtime-state.ts";
import { initialState } from "./pod-runtime-state.ts";
import type { StoredPod } from "./stored-pod.ts";

type ContainerStatus = NonNullable<NonNullable<StoredPod["status"]>["containerStatuses"]>[number];
type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

/** As containerd says of what it finds ended after the machine has started again. */
const lost = {
  exitCode: 255,
  reason: "Unknown",
  message: "The container ended with the cluster that ran it.",
} as const;

/**
 * The life of a pod that an earlier cluster ran: what ran has ended with that. It is run again if its restart policy says so,
 * with fresh volumes, so that init containers run again, too; else the pod has failed.
 *
 * Source: the kubelet 1.35 after its machine was started again.
 */
export function restoreState(pod: StoredPod, now: number): PodRuntimeState {
  const { phase, startTime, initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const statuses = new Map([...initContainerStatuses, ...containerStatuses].map((one) => [one.name, one]));
  const initial = initialState(pod.spec, startTime === undefined ? now : Date.parse(String(startTime)));
  const isTerminated = isFinalPhase(phase);
  const containers = initial.containers.map((fresh) => resumed(fresh, statuses.get(fresh.name), now));
  if (isTerminated) return { ...initial, containers, isSetUp: true, isTerminated };
  const hadRun = containers.some(
    ({ state }) => state.is === "terminated" && state.exitCode === lost.exitCode,
  );
  if (initial.restartPolicy !== "Never")
    return { ...initial, containers: containers.map(resetInitContainer) };
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

/** An init container that was done has to be done again. */
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

/** 0 for what never was. */
function msOf(time: unknown): number {
  return typeof time === "string" ? Date.parse(time) : 0;
}
