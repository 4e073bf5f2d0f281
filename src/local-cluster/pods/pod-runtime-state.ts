import type { Container, PodSpec } from "../../kube/types.ts";

/**
 * Where a pod stands in its life on the node: what the kubelet knows and the API's objects do not. Every function
 * here takes a life and gives the next one.
 */
export interface PodRuntimeState {
  readonly restartPolicy: "Always" | "OnFailure" | "Never";
  /** Ms since 1970; when the node first saw the pod. */
  readonly startTime: number;
  /** Its volumes are there and it has its address. */
  readonly isSetUp: boolean;
  /** Init containers first, each kind in its order. */
  readonly containers: readonly ContainerRuntimeState[];
  /** Nothing is started any more: the pod is being deleted, or failed as a whole. */
  readonly termination: PodTermination | undefined;
  /** All containers ended for good and what the pod used is given back. */
  readonly isTerminated: boolean;
}

/** Why a pod is made to end; `reason` and `message` are empty for a deletion. */
export interface PodTermination {
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** @default the pod's own */
  readonly graceMs?: number;
}

/** Where one container stands, over all of its runs. */
export interface ContainerRuntimeState {
  readonly name: string;
  /** A side-car is an init container with restart policy Always: it runs beside the others. */
  readonly role: "init" | "sidecar" | "app";
  readonly state: ContainerPhaseState;
  /** How its run before this one ended. */
  readonly last: TerminatedState | undefined;
  readonly restarts: number;
  /** Ms that its next restart has to wait. */
  readonly backOffMs: number;
  /** Ms since 1970: not to be started before. */
  readonly retryAt: number;
  readonly imageId: string;
  /** The probes that its spec has. */
  readonly probes: { readonly startup: boolean; readonly readiness: boolean };
}

/** What a container does now. */
export type ContainerPhaseState = WaitingState | StartingState | RunningState | TerminatedState;

interface WaitingState {
  readonly is: "waiting";
  readonly reason: string;
  readonly message?: string;
}

/** Being started; still shown as it was before. */
interface StartingState {
  readonly is: "starting";
  readonly before: WaitingState | TerminatedState;
}

/** As long as its hook after the start runs, it is shown as it was `before`. */
export interface RunningState {
  readonly is: "running";
  readonly id: string;
  readonly startedAt: number;
  readonly before: WaitingState | TerminatedState | undefined;
  /** Its startup probe succeeded, or it has none. */
  readonly isStarted: boolean;
  /** Its readiness probe said so, or it has none. */
  readonly isReady: boolean;
  /** It is to end, though its pod goes on. */
  readonly terminationCause: TerminationCause | undefined;
}

/** Why a container is to end; the grace is the pod's where none is given. */
export interface TerminationCause {
  readonly message: string;
  readonly graceMs: number | undefined;
}

/** How a run ended. */
export interface TerminatedState {
  readonly is: "terminated";
  /** Empty for a container that nobody found. */
  readonly id: string;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  /** Ms since 1970; 0 when it never ran. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

const firstBackOffMs = 10_000;
const maxBackOffMs = 300_000;
/** A container that ran this long starts afresh. */
const backOffResetMs = 600_000;

/** The life of a pod that the node just saw. */
export function initialState(spec: PodSpec, now: number): PodRuntimeState {
  const inits = spec.initContainers ?? [];
  const reason = inits.length > 0 ? "PodInitializing" : "ContainerCreating";
  const container = (
    role: ContainerRuntimeState["role"],
    { name, startupProbe, readinessProbe }: Container,
  ) => ({
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

/** The container of that name, changed. */
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

/** The container is being started. */
export function startContainer(runtime: PodRuntimeState, name: string): PodRuntimeState {
  return withContainer(runtime, name, ({ state }) =>
    state.is === "waiting" || state.is === "terminated" ? { state: { is: "starting", before: state } } : {},
  );
}

/** The container could not be started now, and waits for another try. */
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

/** The container runs; `hasPostStartHook` when its hook after the start has to end before that is told. */
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

/** The hook after the container's start is over. */
export function endHook(runtime: PodRuntimeState, name: string): PodRuntimeState {
  return withContainer(runtime, name, (container) =>
    container.state.is === "running" && container.state.before !== undefined
      ? { ...countedRestart(container), state: { ...container.state, before: undefined } }
      : {},
  );
}

/** A running container changes, as its probes find it. Anything else stays as it is. */
export function withRunning(
  runtime: PodRuntimeState,
  name: string,
  change: Partial<Omit<RunningState, "is">>,
): PodRuntimeState {
  return withContainer(runtime, name, ({ state }) =>
    state.is === "running" ? { state: { ...state, ...change } } : {},
  );
}

/** As a status shows it. */
export function shownState(state: ContainerPhaseState): Exclude<ContainerPhaseState, StartingState> {
  if (state.is === "starting") return state.before;
  return state.is === "running" ? (state.before ?? state) : state;
}

/** The container ended, or never could begin. */
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

/** Only the first restart is at once, then the wait doubles. */
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

/** Nothing starts from now on: the pod is told to end. What waits for a restart stays as it ended. */
export function terminatePod(runtime: PodRuntimeState, termination: PodTermination): PodRuntimeState {
  if (runtime.termination !== undefined) return runtime;
  const containers = runtime.containers.map((container): ContainerRuntimeState => {
    const { state, last } = container;
    return state.is === "waiting" && last !== undefined
      ? { ...container, state: last, last: undefined }
      : container;
  });
  return { ...runtime, containers, termination };
}

/** The container is not started after all. */
export function cancelStart(runtime: PodRuntimeState, name: string): PodRuntimeState {
  return withContainer(runtime, name, ({ state }) =>
    state.is === "starting" ? { state: state.before } : {},
  );
}
