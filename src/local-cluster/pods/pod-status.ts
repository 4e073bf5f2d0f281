import type { Container, Pod } from "../../kube/types.ts";
import type { JsonObject } from "../api/json.ts";
import { timestamp } from "../api/timestamp.ts";
import { hasRun, isFinished, isInitialized, outcomeOf } from "./pod-progress.ts";
import {
  type ContainerRuntimeState,
  type PodRuntimeState,
  shownState,
  type TerminatedState,
} from "./pod-runtime-state.ts";
import type { StoredPod } from "./stored-object.ts";

type PodStatus = NonNullable<Pod["status"]>;

/** Condition as stored: unset times are null, which a client's types do not allow. */
interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string | null;
  readonly observedGeneration?: number;
}

/** Facts of the node in a pod's status. */
interface StatusFacts {
  readonly hostAddress: string;
  /** The pod's address; `undefined` until it has one. */
  readonly address: string | undefined;
  /** Ms since 1970. */
  readonly now: number;
}

/**
 * Builds a pod's status as the kubelet writes it.
 *
 * Source: recorded from the kubelet 1.35. Keeps fields of other writers (quality of service class, PodScheduled,
 * conditions of readiness gates).
 */
export function podStatus(pod: StoredPod, runtime: PodRuntimeState, facts: StatusFacts): JsonObject {
  const { hostAddress, address, now } = facts;
  const statusOf = (container: Container) => containerStatus(container, runtime);
  return {
    ...pod.status,
    phase: phaseOf(runtime),
    ...(runtime.termination?.reason !== undefined && runtime.isTerminated
      ? { reason: runtime.termination.reason, message: runtime.termination.message ?? "" }
      : {}),
    conditions: conditions(pod, runtime, now),
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    ...(address === undefined ? {} : { podIP: address, podIPs: [{ ip: address }] }),
    startTime: timestamp(runtime.startTime),
    ...(pod.spec.initContainers === undefined ? {} : { initContainerStatuses: pod.spec.initContainers.map(statusOf) }),
    containerStatuses: pod.spec.containers.map(statusOf),
    ...observed(pod),
  };
}

function observed({ metadata }: StoredPod): { observedGeneration?: number } {
  return metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
}

/** Returns Pending until all containers of the pod ran once, then Running until it has terminated. */
function phaseOf(runtime: PodRuntimeState): NonNullable<PodStatus["phase"]> {
  if (runtime.isTerminated) return outcomeOf(runtime) ?? "Failed";
  const apps = runtime.containers.filter(({ role }) => role === "app");
  return isInitialized(runtime) && apps.every(hasRun) ? "Running" : "Pending";
}

/** Returns whether a container is ready according to its probes; for an init container, whether it succeeded. */
export function isReady({ role, state }: ContainerRuntimeState): boolean {
  const shown = shownState(state);
  if (role === "init") return shown.is === "terminated" && shown.exitCode === 0;
  return shown.is === "running" && shown.isStarted && shown.isReady;
}

interface Fact {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

function conditions(pod: StoredPod, runtime: PodRuntimeState, now: number): PodCondition[] {
  const ready = readiness(runtime);
  const facts: Readonly<Record<string, Fact>> = {
    PodReadyToStartContainers: { status: runtime.isSetUp && !runtime.isTerminated ? "True" : "False" },
    Initialized: initialization(runtime),
    Ready: ready,
    ContainersReady: ready,
  };
  const before: readonly PodCondition[] = pod.status?.conditions ?? [];
  const own = Object.entries(facts).map(([type, fact]): PodCondition => {
    const previous = before.find((condition) => condition.type === type);
    const lastTransitionTime =
      previous?.status === fact.status && previous.lastTransitionTime != null
        ? previous.lastTransitionTime
        : timestamp(now);
    return { type, ...fact, lastProbeTime: null, lastTransitionTime, ...observed(pod) };
  });
  const others = before
    .filter(({ type }) => !(type in facts))
    .map((condition) => (condition.type === "PodScheduled" ? { ...condition, ...observed(pod) } : condition));
  return [...own, ...others];
}

function initialization(runtime: PodRuntimeState): Fact {
  if (isInitialized(runtime)) {
    return isFinished(runtime) && outcomeOf(runtime) === "Succeeded"
      ? { status: "True", reason: "PodCompleted" }
      : { status: "True" };
  }
  const incomplete = runtime.containers.filter((container) => container.role !== "app" && !isReady(container));
  const message = `containers with incomplete status: [${names(incomplete)}]`;
  return { status: "False", reason: "ContainersNotInitialized", message };
}

function readiness(runtime: PodRuntimeState): Fact {
  const outcome = isFinished(runtime) || runtime.termination?.reason !== undefined ? outcomeOf(runtime) : undefined;
  if (outcome === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (outcome === "Failed") return { status: "False", reason: "PodFailed" };
  const unready = runtime.containers.filter((container) => container.role !== "init" && !isReady(container));
  if (unready.length === 0) return { status: "True" };
  const message = `containers with unready status: [${names(unready)}]`;
  return { status: "False", reason: "ContainersNotReady", message };
}

function names(containers: readonly ContainerRuntimeState[]): string {
  return containers.map(({ name }) => name).join(" ");
}

function containerStatus(container: Container, runtime: PodRuntimeState): JsonObject {
  const found = runtime.containers.find(({ name }) => name === container.name);
  if (found === undefined) throw new TypeError(`The runtime state of the pod lacks its container ${container.name}.`);
  const { state, last, restarts, imageId } = found;
  const shown = shownState(state);
  const id = "id" in shown ? shown.id : (last?.id ?? "");
  return {
    name: container.name,
    state: stateObject(shown),
    lastState: last === undefined ? {} : stateObject(last),
    ready: isReady(found),
    started: shown.is === "running" && shown.isStarted,
    restartCount: restarts,
    image: container.image ?? "",
    imageID: imageId,
    ...(id === "" ? {} : { containerID: id }),
    ...(imageId === "" ? {} : { resources: container.resources ?? {} }),
    ...mountStatuses(container),
  };
}

function mountStatuses({ volumeMounts = [] }: Container): JsonObject {
  const statuses = volumeMounts.map(({ name, mountPath, readOnly }) =>
    readOnly === true ? { mountPath, name, readOnly, recursiveReadOnly: "Disabled" } : { mountPath, name },
  );
  return statuses.length === 0 ? {} : { volumeMounts: statuses };
}

function stateObject(state: ReturnType<typeof shownState>): JsonObject {
  if (state.is === "running") return { running: { startedAt: timestamp(state.startedAt) } };
  if (state.is === "terminated") return { terminated: terminated(state) };
  const { reason, message } = state;
  return { waiting: { reason, ...(message === undefined ? {} : { message }) } };
}

function terminated({ id, exitCode, reason, message, startedAt, finishedAt }: TerminatedState) {
  // A container that never ran has null times, as Go serializes them.
  const isLost = reason === "ContainerStatusUnknown";
  return {
    exitCode,
    reason,
    ...(message === undefined ? {} : { message }),
    startedAt: isLost ? null : timestamp(startedAt),
    finishedAt: isLost ? null : timestamp(finishedAt),
    ...(id === "" ? {} : { containerID: id }),
  };
}
