import type { ContainerState, Event, KubeResource, Pod } from "../kube/types.ts";
import type { Observation, ObservedPod } from "./observation.ts";

/** Observations for tests: a driver `report-driver` in the namespace `team-a`, created at second 0. */
export const startMs = 1_800_000_000_000;

/** Returns the time of a second after the start, in the API's format. */
export function instant(second: number): string {
  return `${new Date(startMs + second * 1000).toISOString().slice(0, 19)}Z`;
}

/** Options of a test pod. */
export interface PodOptions {
  readonly name?: string;
  readonly metadata?: Pod["metadata"];
  /** Fields that override the default spec. */
  readonly spec?: Partial<NonNullable<Pod["spec"]>>;
  /** @default Pending */
  readonly phase?: string;
  readonly status?: Pod["status"];
  /** State of each container; the main one is called `main` here. */
  readonly states?: Readonly<Record<string, ContainerState>>;
  /** Text of each log. */
  readonly logs?: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly isDeleted?: boolean;
}

/** Builds a driver's pod. */
export function driverPod(options: PodOptions = {}): ObservedPod {
  return pod({ name: "report-driver", ...options }, "spark-kubernetes-driver");
}

/** Builds an executor's pod. */
export function executorPod(options: PodOptions = {}): ObservedPod {
  return pod({ name: "report-exec-1", ...options }, "spark-kubernetes-executor");
}

function pod(options: PodOptions, main: string): ObservedPod {
  const { name = "", metadata, spec, phase = "Pending", status, states = {}, logs = {}, isDeleted = false } = options;
  const inits = (spec?.initContainers ?? []).map((one) => one.name);
  const statuses = Object.entries(states).map(([key, state]) => ({
    ...{ name: key === "main" ? main : key, state, image: "", imageID: "", ready: false, restartCount: 0 },
  }));
  const image = options.image ?? "spark:4.3.0";
  return {
    pod: {
      metadata: { name, namespace: "team-a", uid: `uid-${name}`, creationTimestamp: instant(0), ...metadata },
      spec: { containers: [{ name: main, image }], schedulerName: "default-scheduler", ...spec },
      status: {
        phase,
        containerStatuses: statuses.filter((one) => !inits.includes(one.name)),
        initContainerStatuses: statuses.filter((one) => inits.includes(one.name)),
        ...status,
      },
    },
    isDeleted,
    logs: Object.fromEntries(
      Object.entries(logs).map(([key, text]) => [
        key === "main" ? main : key,
        text.split("\n").map((line) => ({ at: startMs + 5_000, text: line })),
      ]),
    ),
  };
}

/** Builds the state of a terminated container. */
export function ended(exitCode: number, rest: Omit<NonNullable<ContainerState["terminated"]>, "exitCode"> = {}) {
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? "Completed" : "Error",
    finishedAt: instant(6),
    ...rest,
  };
  return { terminated };
}

/** Builds the state of a waiting container. */
export function waiting(reason: string, message?: string): ContainerState {
  return { waiting: { reason, ...(message === undefined ? {} : { message }) } };
}

/** Builds a driver that failed with a log. */
export function failedDriver(log: string, exitCode = 1): ObservedPod {
  return driverPod({ phase: "Failed", states: { main: ended(exitCode) }, logs: { main: log } });
}

/** Options of a test event. */
interface EventOptions {
  readonly second?: number;
  readonly count?: number;
  /** @default the driver */
  readonly about?: string;
  readonly kind?: string;
  /** `spec.containers{…}`. */
  readonly container?: string;
  readonly type?: string;
}

/** Builds an event. */
export function event(reason: string, message: string, options: EventOptions = {}): Event {
  const { second = 1, count = 1, about = "report-driver", kind = "Pod", container, type = "Warning" } = options;
  const fieldPath = container === undefined ? {} : { fieldPath: `spec.containers{${container}}` };
  return {
    metadata: { name: `${about}.${reason}.${second}` },
    involvedObject: { kind, name: about, namespace: "team-a", ...fieldPath },
    ...{ reason, message, count, type, firstTimestamp: instant(second), lastTimestamp: instant(second) },
  };
}

/** Builds a node with allocatable amounts. */
export function node(name: string, allocatable: Readonly<Record<string, string>>, spec: object = {}): KubeResource {
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec, status: { allocatable } };
}

/** Builds an observation at a second after the start. */
export function observe(rest: Partial<Observation> & { readonly second?: number }): Observation {
  const { second = 20, ...known } = rest;
  return { now: startMs + second * 1000, properties: {}, executors: [], events: [], objects: [], ...known };
}
