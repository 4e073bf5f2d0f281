import type { Container, PodSpec } from "../../kube/types.ts";

/**
 * Runtime state of a pod on the node: the kubelet's knowledge that API objects lack. Every function here takes a
 * state and returns the next one.
 */
export interface PodRuntimeState {
  readonly restartPolicy: "Always" | "OnFailure" | "Never";
  /** Ms since 1970: time when the node first saw the pod. */
  readonly startTime: number;
  /** Whether its volumes exist and it has its address. */
  readonly isSetUp: boolean;
  /** Init containers first, each kind in spec order. */
  readonly containers: readonly ContainerRuntimeState[];
  /** Set when no container may start any more: the pod is being deleted, or has failed as a whole. */
  readonly termination: PodTermination | undefined;
  /** Whether all containers have ended permanently and the pod's resources are released. */
  readonly isTerminated: boolean;
}

/** Cause of a pod's termination; `reason` and `message` are `undefined` for a deletion. */
interface PodTermination {
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** @default the pod's own grace period */
  readonly graceMs?: number;
}

/** Runtime state of one container across all of its runs. */
export interface ContainerRuntimeState {
  readonly name: string;
  /** A sidecar is an init container with restart policy Always: it runs alongside the others. */
  readonly role: "init" | "sidecar" | "app";
  readonly state: ContainerPhaseState;
  /** Result of the previous run. */
  readonly last: TerminatedState | undefined;
  readonly restarts: number;
  /** Delay before its next restart, in ms. */
  readonly backOffMs: number;
  /** Ms since 1970: earliest time of the next start. */
  readonly retryAt: number;
  readonly imageId: string;
  /** Probes defined in its spec. */
  readonly probes: { readonly startup: boolean; readonly readiness: boolean };
}

/** Current state of a container. */
type ContainerPhaseState = WaitingState | StartingState | RunningState | TerminatedState;

interface WaitingState {
  readonly is: "waiting";
  readonly reason: string;
  readonly message?: string;
}

/** Start in progress; the status still shows `before`. */
interface StartingState {
  readonly is: "starting";
  readonly before: WaitingState | TerminatedState;
}

/** Running; while its postStart hook runs, the status shows `before`. */
export interface RunningState {
  readonly is: "running";
  readonly id: string;
  readonly startedAt: number;
  readonly before: WaitingState | TerminatedState | undefined;
  /** Whether its startup probe succeeded, or it has none. */
  readonly isStarted: boolean;
  /** Whether its readiness probe succeeded, or it has none. */
  readonly isReady: boolean;
  /** Set when it must terminate although its pod continues. */
  readonly terminationCause: TerminationCause | undefined;
}

/** Cause of a container's termination; without a grace period, the pod's applies. */
export interface TerminationCause {
  readonly message: string;
  readonly graceMs: number | undefined;
}

/** Result of a run. */
export interface TerminatedState {
  readonly is: "terminated";
  /** Empty for a lost container. */
  readonly id: string;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  /** Ms since 1970; 0 if it never ran. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

const firstBackOffMs = 10_000;
const maxBackOffMs = 300_000;
/** Running time after which the back-off resets. */
const backOffResetMs = 600_000;

/** Returns the state of a pod that the node just saw. */
export function initialState(spec: PodSpec, now: number): PodRuntimeState {
  const inits = spec.initContainers ?? [];
  const reason = inits.length > 0 ? "PodInitializing" : "ContainerCreating";
  const container = (role: ContainerRuntimeState["role"], { name, startupProbe, readinessProbe }: Container) => ({
    ...{ name, role, imageId: "" },
    probes: { startup: startupProbe !== undefined, readiness: readinessProbe !== undefined },
    ...{ state: { is: "waiting", reason } as const, last: undefined },
    ...{ restarts: 0, backOffMs: 0, retryAt: 0 },
  });
  return {
    restartPolicy: restartPolicyOf(spec),
    startTime: now,
    isSetUp: false,
    containers: [
      ...inits.map((init) => container(init.restartPolicy === "Always" ? "sidecar" : "init", init)),
      ...spec.containers.map((app) => container("app", app)),
    ],
    termination: undefined,
    isTerminated: false,
  };
}

function restartPolicyOf({ restartPolicy }: PodSpec): PodRuntimeState["restartPolicy"] {
  return restartPolicy === "Never" || restartPolicy === "OnFailure" ? restartPolicy : "Always";
}

/** Changes the container of that name. */
export function withContainer(
  runtime: PodRuntimeState,
  name: string,
  change: (container: ContainerRuntimeState) => Partial<ContainerRuntimeState>,
): PodRuntimeState {
  const containers = runtime.containers.map((container) =>
    container.name === name ? { ...container, ...change(container) } : container,
  );
  return { ...runtime, containers };
}

/** Marks a container as starting. */
export function startContainer(runtime: PodRuntimeState, name: string): PodRuntimeState {
  return withContainer(runtime, name, ({ state }) =>
    state.is === "waiting" || state.is === "terminated" ? { state: { is: "starting", before: state } } : {},
  );
}

/** Records that a container could not start and waits for another attempt. */
export function delayContainer(
  runtime: PodRuntimeState,
  name: string,
  why: { readonly reason: string; readonly message: string; readonly retryAt: number },
): PodRuntimeState {
  return withContainer(runtime, name, (container) => ({
    state: { is: "waiting", reason: why.reason, message: why.message },
    last: lastRun(container),
    retryAt: why.retryAt,
  }));
}

/** Records that a container runs; with a postStart hook, the status shows that only after the hook has ended. */
export function runContainer(
  runtime: PodRuntimeState,
  name: string,
  run: {
    readonly id: string;
    readonly imageId: string;
    readonly startedAt: number;
    readonly hasPostStartHook?: boolean;
  },
): PodRuntimeState {
  return withContainer(runtime, name, (container) => {
    const { startup, readiness } = container.probes;
    const shown = shownState(container.state);
    const before = run.hasPostStartHook === true && shown.is !== "running" ? shown : undefined;
    const state: RunningState = {
      ...{ is: "running", id: run.id, startedAt: run.startedAt, before, terminationCause: undefined },
      ...{ isStarted: !startup, isReady: !readiness },
    };
    return { ...(before === undefined ? countedRestart(container) : {}), state, imageId: run.imageId };
  });
}

/** Records that the postStart hook has ended. */
export function endHook(runtime: PodRuntimeState, name: string): PodRuntimeState {
  return withContainer(runtime, name, (container) =>
    container.state.is === "running" && container.state.before !== undefined
      ? { ...countedRestart(container), state: { ...container.state, before: undefined } }
      : {},
  );
}

/** Changes a running container, e.g. after a probe. Containers in other states stay unchanged. */
export function withRunning(
  runtime: PodRuntimeState,
  name: string,
  change: Partial<Omit<RunningState, "is">>,
): PodRuntimeState {
  return withContainer(runtime, name, ({ state }) =>
    state.is === "running" ? { state: { ...state, ...change } } : {},
  );
}

/** Returns the state that the status shows. */
export function shownState(state: ContainerPhaseState): Exclude<ContainerPhaseState, StartingState> {
  if (state.is === "starting") return state.before;
  return state.is === "running" ? (state.before ?? state) : state;
}

/** Records that a container ended or failed to start. */
export function endContainer(
  runtime: PodRuntimeState,
  name: string,
  end: Omit<TerminatedState, "is">,
): PodRuntimeState {
  return withContainer(runtime, name, (container) => {
    const isUncounted = container.state.is !== "running" || container.state.before !== undefined;
    const run = isUncounted ? countedRestart(container) : {};
    const shouldResetBackOff = end.startedAt > 0 && end.finishedAt - end.startedAt >= backOffResetMs;
    const backOffMs = shouldResetBackOff ? 0 : (run.backOffMs ?? container.backOffMs);
    return { ...run, state: { is: "terminated", ...end }, backOffMs, retryAt: end.finishedAt + backOffMs };
  });
}

/** Counts a restart: the first is immediate, then the delay doubles. */
function countedRestart(container: ContainerRuntimeState): Partial<ContainerRuntimeState> {
  const last = lastRun(container);
  if (last === undefined) return {};
  const { restarts, backOffMs } = container;
  const nextMs = backOffMs === 0 ? firstBackOffMs : Math.min(backOffMs * 2, maxBackOffMs);
  return { last, restarts: restarts + 1, backOffMs: nextMs };
}

function lastRun({ state, last }: ContainerRuntimeState): TerminatedState | undefined {
  const shown = shownState(state);
  return shown.is === "terminated" ? shown : last;
}

/** Terminates the pod: no container starts any more. A container in back-off returns to its last state. */
export function terminatePod(runtime: PodRuntimeState, termination: PodTermination): PodRuntimeState {
  if (runtime.termination !== undefined) return runtime;
  const containers = runtime.containers.map((container): ContainerRuntimeState => {
    const { state, last } = container;
    return state.is === "waiting" && last !== undefined ? { ...container, state: last, last: undefined } : container;
  });
  return { ...runtime, containers, termination };
}

/** Cancels the start of a container. */
export function cancelStart(runtime: PodRuntimeState, name: string): PodRuntimeState {
  return withContainer(runtime, name, ({ state }) => (state.is === "starting" ? { state: state.before } : {}));
}
