import {
  type ContainerRuntimeState,
  delayContainer,
  endContainer,
  type PodRuntimeState,
  shownState,
  type TerminationCause,
} from "./pod-runtime-state.ts";

/** Returns whether a terminated container should run again. */
export function shouldRestart(runtime: PodRuntimeState, { role, state }: ContainerRuntimeState): boolean {
  if (state.is !== "terminated" || runtime.termination !== undefined) return false;
  if (role === "sidecar") return !runtime.containers.filter(isApp).every((app) => isDone(runtime, app));
  if (runtime.restartPolicy === "Never") return false;
  return state.exitCode !== 0 || (role === "app" && runtime.restartPolicy === "Always");
}

/** Returns the containers that can start now, and when to check again for those that must wait. */
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

/** Lists init containers one by one, sidecars when the preceding containers allow it, then all app containers. */
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

/** Returns whether a container runs or has run. */
export function hasRun({ state, last }: ContainerRuntimeState): boolean {
  const shown = shownState(state);
  if (last !== undefined || shown.is === "running") return true;
  return shown.is === "terminated" && shown.startedAt > 0;
}

/** Returns whether all init containers succeeded and all sidecars were started once. */
export function isInitialized(runtime: PodRuntimeState): boolean {
  if (runtime.containers.some((container) => container.role === "app" && hasRun(container))) return true;
  return runtime.containers.every((container) => {
    const { role, state, restarts, probes } = container;
    if (role === "app") return true;
    if (role === "init") return state.is === "terminated" && state.exitCode === 0;
    // A sidecar that never passed its startup probe does not count, regardless of its number of runs.
    return hasStarted(container) || (!probes.startup && (state.is === "terminated" || restarts > 0));
  });
}

function hasStarted({ state }: ContainerRuntimeState): boolean {
  return state.is === "running" && state.before === undefined && state.isStarted;
}

/** Returns whether the pod is done: no container runs, and none should run again. */
export function isFinished(runtime: PodRuntimeState): boolean {
  const isIdle = runtime.containers.every(({ state }) => state.is !== "running" && state.is !== "starting");
  return isIdle && outcomeOf(runtime) !== undefined;
}

/** Running container that must terminate. */
export interface ContainerStop {
  readonly name: string;
  /** Whether it can be stopped now; otherwise, only its hook runs. */
  readonly isDue: boolean;
  readonly why: TerminationCause | undefined;
}

/** Lists the running containers that must terminate: sidecars after the others, one by one in reverse order. */
export function planStops(runtime: PodRuntimeState): readonly ContainerStop[] {
  const running = runtime.containers.flatMap(({ name, role, state }) =>
    state.is === "running" ? [{ name, role, why: state.terminationCause }] : [],
  );
  if (runtime.termination === undefined && outcomeOf(runtime) === undefined) {
    return running.filter(({ why }) => why !== undefined).map((order) => ({ ...order, isDue: true }));
  }
  const others = running.filter(({ role }) => role !== "sidecar");
  const sidecars = running.filter(({ role }) => role === "sidecar").reverse();
  return [
    ...others.map((order) => ({ ...order, isDue: true })),
    ...sidecars.map((order, index) => ({ ...order, isDue: others.length === 0 && index === 0 })),
  ];
}

/** Returns the pod's final phase as soon as it is certain; sidecars may still run then. */
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

/** Marks containers as lost that were eligible to start but had not run when the pod ended. */
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

/** Reasons of failed starts that the status shows once, before it shows the back-off. */
const shownOnce: readonly string[] = ["RunContainerError", "PostStartHookError"];

/** Shows the error of a failed start if the container will be started again. */
export function showFailedStart(
  runtime: PodRuntimeState,
  name: string,
  why: { readonly reason: "RunContainerError" | "PostStartHookError"; readonly message: string },
): PodRuntimeState {
  const container = runtime.containers.find((candidate) => candidate.name === name);
  if (container === undefined || !shouldRestart(runtime, container)) return runtime;
  return delayContainer(runtime, name, { ...why, retryAt: container.retryAt });
}

/** Shows the back-off of containers that wait for a restart. */
export function showBackOff(runtime: PodRuntimeState, now: number, podName: string): PodRuntimeState {
  const isShown = ({ state }: ContainerRuntimeState) => state.is === "waiting" && shownOnce.includes(state.reason);
  const waiting = runtime.containers.filter(
    (container) => container.retryAt > now && (shouldRestart(runtime, container) || isShown(container)),
  );
  return waiting.reduce((result, { name, backOffMs, retryAt }) => {
    const message = `back-off ${goDuration(backOffMs)} restarting failed container=${name} pod=${podName}`;
    return delayContainer(result, name, { reason: "CrashLoopBackOff", message, retryAt });
  }, runtime);
}

/** Formats a duration as Go does: `10s`, `1m20s`, `5m0s`. */
function goDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
