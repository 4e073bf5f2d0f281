import {
  type ContainerRuntimeState,
  delayContainer,
  endContainer,
  type PodRuntimeState,
  shownState,
  type TerminationCause,
} from "./pod-runtime-state.ts";

/** Whether a container that ended is to run again. */
export function shouldRestart(runtime: PodRuntimeState, { role, state }: ContainerRuntimeState): boolean {
  if (state.is !== "terminated" || runtime.termination !== undefined) return false;
  if (role === "sidecar") return !runtime.containers.filter(isApp).every((app) => isDone(runtime, app));
  if (runtime.restartPolicy === "Never") return false;
  return state.exitCode !== 0 || (role === "app" && runtime.restartPolicy === "Always");
}

/** What may start now, and when to look again for what has to wait. */
export function nextContainers(
  runtime: PodRuntimeState,
  now: number,
): { readonly start: readonly string[]; readonly nextCheckAt: number | undefined } {
  if (!runtime.isSetUp || runtime.termination !== undefined || isFinished(runtime)) {
    return { start: [], nextCheckAt: undefined };
  }
  const startable = candidates(runtime).filter(
    (container) => container.state.is === "waiting" || shouldRestart(runtime, container),
  );
  const later = startable.filter(({ retryAt }) => retryAt > now).map(({ retryAt }) => retryAt);
  return {
    start: startable.filter(({ retryAt }) => retryAt <= now).map(({ name }) => name),
    nextCheckAt: later.length === 0 ? undefined : Math.min(...later),
  };
}

/** Init containers one after the other, side-cars as soon as it is their turn, then all of the others. */
function candidates(runtime: PodRuntimeState): readonly ContainerRuntimeState[] {
  const result: ContainerRuntimeState[] = [];
  for (const container of runtime.containers) {
    if (container.role === "app") {
      result.push(container);
    } else if (container.role === "sidecar") {
      result.push(container);
      if (!isInitialized(runtime) && !hasStarted(container)) return result;
    } else if (container.state.is !== "terminated" || container.state.exitCode !== 0) {
      return [...result, container];
    }
  }
  return result;
}

/** Whether a container ran, now or before. */
export function hasRun({ state, last }: ContainerRuntimeState): boolean {
  const shown = shownState(state);
  if (last !== undefined || shown.is === "running") return true;
  return shown.is === "terminated" && shown.startedAt > 0;
}

/** All init containers succeeded and all side-cars were started once. */
export function isInitialized(runtime: PodRuntimeState): boolean {
  if (runtime.containers.some((container) => container.role === "app" && hasRun(container))) return true;
  return runtime.containers.every((container) => {
    const { role, state, restarts, probes } = container;
    if (role === "app") return true;
    if (role === "init") return state.is === "terminated" && state.exitCode === 0;
    // One that never passed its startup probe may have run as often as it likes.
    return hasStarted(container) || (!probes.startup && (state.is === "terminated" || restarts > 0));
  });
}

function hasStarted({ state }: ContainerRuntimeState): boolean {
  return state.is === "running" && state.before === undefined && state.isStarted;
}

/** Whether all is done: no container runs, and none is to run again. */
export function isFinished(runtime: PodRuntimeState): boolean {
  const isQuiet = runtime.containers.every(({ state }) => state.is !== "running" && state.is !== "starting");
  return isQuiet && outcomeOf(runtime) !== undefined;
}

/** A running container that is to end. */
export interface ContainerStop {
  readonly name: string;
  /** Whether it is its turn; one before only runs its hook. */
  readonly isTurn: boolean;
  readonly why: TerminationCause | undefined;
}

/** The running containers that are to end: side-cars after the others, one by one, the last one first. */
export function planStops(runtime: PodRuntimeState): readonly ContainerStop[] {
  const running = runtime.containers.flatMap(({ name, role, state }) =>
    state.is === "running" ? [{ name, role, why: state.terminationCause }] : [],
  );
  if (runtime.termination === undefined && outcomeOf(runtime) === undefined) {
    return running.filter(({ why }) => why !== undefined).map((order) => ({ ...order, isTurn: true }));
  }
  const others = running.filter(({ role }) => role !== "sidecar");
  const sidecars = running.filter(({ role }) => role === "sidecar").reverse();
  return [
    ...others.map((order) => ({ ...order, isTurn: true })),
    ...sidecars.map((order, index) => ({ ...order, isTurn: others.length === 0 && index === 0 })),
  ];
}

/** How the pod ends, as soon as that is certain; side-cars may still run then. */
export function outcomeOf(runtime: PodRuntimeState): "Succeeded" | "Failed" | undefined {
  const { containers, termination } = runtime;
  if (termination?.reason !== undefined) return "Failed";
  if (containers.some((container) => container.role === "init" && hasFailedPermanently(runtime, container))) {
    return "Failed";
  }
  const apps = containers.filter(isApp);
  if (termination === undefined && !apps.every((app) => isDone(runtime, app))) return undefined;
  if (apps.some(({ state }) => state.is === "running" || state.is === "starting")) return undefined;
  const isSuccess = apps.every(({ state }) => state.is === "terminated" && state.exitCode === 0);
  return isSuccess ? "Succeeded" : "Failed";
}

function isApp({ role }: ContainerRuntimeState): boolean {
  return role === "app";
}

function isDone(runtime: PodRuntimeState, container: ContainerRuntimeState): boolean {
  return container.state.is === "terminated" && !shouldRestart(runtime, container);
}

function hasFailedPermanently(runtime: PodRuntimeState, container: ContainerRuntimeState): boolean {
  return isDone(runtime, container) && container.state.is === "terminated" && container.state.exitCode !== 0;
}

/** What never came to run although its turn had come counts as lost when the pod ends. */
export function markLostContainers(runtime: PodRuntimeState, now: number): PodRuntimeState {
  const waiting = candidates(runtime).filter(({ state }) => state.is === "waiting");
  return waiting.reduce(
    (result, { name }) =>
      endContainer(result, name, {
        id: "",
        exitCode: 137,
        reason: "ContainerStatusUnknown",
        message: "The container could not be located when the pod was terminated",
        startedAt: 0,
        finishedAt: now,
      }),
    runtime,
  );
}

/** Failures of a start that a container shows once, before it shows that it waits for its restart. */
const shownOnce: readonly string[] = ["RunContainerError", "PostStartHookError"];

/** A container whose start failed tells how, where it is to be started again. */
export function showFailedStart(
  runtime: PodRuntimeState,
  name: string,
  why: { readonly reason: "RunContainerError" | "PostStartHookError"; readonly message: string },
): PodRuntimeState {
  const container = runtime.containers.find((candidate) => candidate.name === name);
  if (container === undefined || !shouldRestart(runtime, container)) return runtime;
  return delayContainer(runtime, name, { ...why, retryAt: container.retryAt });
}

/** What has to wait for its restart says so. */
export function showBackOff(runtime: PodRuntimeState, now: number, podName: string): PodRuntimeState {
  const isShown = ({ state }: ContainerRuntimeState) =>
    state.is === "waiting" && shownOnce.includes(state.reason);
  const waiting = runtime.containers.filter(
    (container) => container.retryAt > now && (shouldRestart(runtime, container) || isShown(container)),
  );
  return waiting.reduce((result, { name, backOffMs, retryAt }) => {
    const message = `back-off ${goDuration(backOffMs)} restarting failed container=${name} pod=${podName}`;
    return delayContainer(result, name, { reason: "CrashLoopBackOff", message, retryAt });
  }, runtime);
}

/** As Go prints it: `10s`, `1m20s`, `5m0s`. */
function goDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
