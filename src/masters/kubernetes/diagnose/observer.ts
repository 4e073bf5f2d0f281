import type { Observation, ObservedPod } from "../../../diagnosis/observation.ts";
import { messageOf } from "../../../errors/submit-error.ts";
import type { LogLevel } from "../../../host/log.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Event, Pod, StringMap } from "../../../kube/types.ts";
import { appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import { parseInstant } from "../../../values/instant.ts";
import { hasStarted } from "../watch/driver-end.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";
import { driverProperties } from "./driver-properties.ts";
import { type Informer, startInformer, type TrackedObject } from "./informer.ts";
import { hasFailed, type LogTails, logTails } from "./log-tails.ts";
import { type RelatedEvents, relatedEvents } from "./related-events.ts";
import { type RelatedObjects, relatedObjects } from "./related-objects.ts";

interface ObserverCall extends WatchedPod {
  /** Settings of the driver. @default read from the cluster */
  readonly properties?: StringMap | undefined;
  /** Log level if the API denies a list, which leaves some causes unknown. @default INFO */
  readonly deniedLevel?: LogLevel;
}

/** Observer of a driver and of all objects that can explain its problems. */
export interface Observer {
  /** Returns the executors; none before the driver runs. */
  readonly executors: () => readonly TrackedObject<Pod>[];
  /** Returns whether the driver has or had executors. */
  readonly hasExecutors: () => boolean;
  /** Returns whether an executor runs and none has a problem: then watches report any new problem. */
  readonly isSteady: () => boolean;
  /** Calls `listener` after each change, except for changes of the driver's pod. Returns a function that removes it. */
  readonly onChange: (listener: () => void) => () => void;
  /** Returns the known facts. Reads those that no informer provides. */
  readonly observe: (driver: { readonly isDeleted: boolean }) => Promise<Observation>;
}

/** Age from which a driver without a visible problem counts as blocked. */
const blockedMs = 3000;
/** Maximum age of the cached log of the driver. */
const maxLogAgeMs = 4000;
const maxSteadyLogAgeMs = 30_000;
/** Limit of failing executors whose logs and events are read; the latest ones. */
const maxFailingExecutors = 3;
/** Limit of executors without a problem whose logs are read while they end: they show which files a job wrote. */
const maxEndingExecutors = 2;
const maxClaims = 3;

interface ObserverState {
  readonly call: ObserverCall;
  hasLoggedDenial: boolean;
  readonly startedAt: number;
  readonly events: Informer<Event>;
  /** Undefined before the driver runs. */
  executors: Informer<Pod> | undefined;
  readonly listeners: Set<() => void>;
  readonly tails: LogTails;
  readonly objects: RelatedObjects;
  readonly relatedEvents: RelatedEvents;
  readonly properties: (pod: Pod) => Promise<StringMap>;
}

/**
 * Starts to watch the driver's events and executors, with one connection each.
 *
 * `observe` reads the other facts (logs, related objects and their events) if the driver's state makes them relevant. It
 * caches them for a few seconds, and for half a minute while the driver is steady.
 */
export function observer(options: ObserverCall): Observer {
  const call = { ...options, client: options.client.withoutRetries() };
  const { client, clock, latest, container, signal } = call;
  const { namespace = "", name = "" } = latest.get().metadata ?? {};
  const state: ObserverState = {
    ...{ call, hasLoggedDenial: false, startedAt: clock.monotonic(), executors: undefined, listeners: new Set() },
    events: startInformer<Event>({
      ...{ ...call, namespace, type: resourceTypes.event, fieldSelector: `involvedObject.name=${name}` },
      onDenied: (error) => onDenied(state, error),
    }),
    tails: logTails(call),
    objects: relatedObjects(call),
    relatedEvents: relatedEvents({ ...call, namespace }),
    properties: driverProperties(client, call.properties),
  };
  state.events.onChange(() => notify(state));
  void latest.until((pod) => hasStarted(pod, container), signal).then((pod) => onStarted(state, pod));
  const executors = () => state.executors?.get() ?? [];
  return {
    executors,
    hasExecutors: () => executors().length > 0,
    isSteady: () => isSteady(executors(), clock.now()),
    onChange(listener) {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
    observe: ({ isDeleted }) => observe(state, isDeleted),
  };
}

/** Logs the first denied list. */
function onDenied(state: ObserverState, error: unknown): void {
  const { log, deniedLevel = "INFO" } = state.call;
  if (!state.hasLoggedDenial) log(deniedLevel, "Diagnosis", `Some causes may remain unknown: ${messageOf(error)}`);
  state.hasLoggedDenial = true;
}

function notify({ listeners }: ObserverState): void {
  for (const listener of listeners) listener();
}

/** Starts to watch the executors. `pod` is undefined if the signal aborted before the driver started. */
function onStarted(state: ObserverState, pod: Pod | undefined): void {
  const { namespace = "", labels = {} } = state.call.latest.get().metadata ?? {};
  const appId = labels[appSelectorLabel];
  if (pod === undefined || appId === undefined) return;
  const executors = startInformer<Pod>({
    ...{ ...state.call, namespace, type: resourceTypes.pod },
    labelSelector: `${appSelectorLabel}=${appId},${roleLabel}=executor`,
    onDenied: (error) => onDenied(state, error),
  });
  state.executors = executors;
  executors.onChange(() => {
    void readLastLogs(executors.get(), state.tails);
    notify(state);
  });
}

async function observe(state: ObserverState, isDeleted: boolean): Promise<Observation> {
  const { clock, latest, container } = state.call;
  const pod = latest.get();
  const isStarted = hasStarted(pod, container);
  const now = clock.now();
  const tracked = state.executors?.get() ?? [];
  // A visible problem is reported immediately, and its message contains facts about the nodes.
  const isFailing = hasProblem({ object: pod, isDeleted }, now);
  const isBlocked = !isStarted && (isFailing || clock.monotonic() - state.startedAt >= blockedMs);
  const failing = tracked.filter((one) => hasProblem(one, now)).slice(-maxFailingExecutors);
  const ending = tracked.filter((one) => !failing.includes(one) && isEnding(one)).slice(-maxEndingExecutors);
  const names = failing.flatMap(({ object }) => object.metadata?.name ?? []);
  const [logs, objects, events, executorLogs, properties] = await Promise.all([
    state.tails.read(
      pod,
      // A driver that is blocked waits for its running init container, whose last line often has the reason.
      (status) =>
        (isStarted && status.name === container) ||
        hasFailed(status) ||
        (isBlocked && status.state?.running !== undefined),
      isSteady(tracked, now) ? maxSteadyLogAgeMs : maxLogAgeMs,
    ),
    isBlocked || failing.length > 0 ? state.objects.read(pod) : [],
    state.relatedEvents.read([...names, ...(isBlocked ? claimsOf(pod) : [])]),
    Promise.all([
      ...failing.map(({ object }) => state.tails.read(object, hasFailed, maxSteadyLogAgeMs)),
      ...ending.map(({ object }) => state.tails.read(object, () => true, maxSteadyLogAgeMs)),
    ]),
    state.properties(pod),
  ]);
  const executors = tracked.map((one): ObservedPod => {
    const at = [...failing, ...ending].findIndex(({ object }) => object.metadata?.name === one.object.metadata?.name);
    return { pod: one.object, isDeleted: one.isDeleted, logs: executorLogs[at] ?? {} };
  });
  return {
    ...{ now, properties, executors, objects },
    driver: { pod, isDeleted, logs },
    events: [...state.events.get().map(({ object }) => object), ...events],
  };
}

/** Reads the logs of failed and ending executors immediately: drivers delete them within a second or two. */
function readLastLogs(executors: readonly TrackedObject<Pod>[], tails: LogTails): Promise<unknown> {
  const failed = executors.filter(
    ({ object, isDeleted }) => !isDeleted && object.status?.containerStatuses?.some(hasFailed) === true,
  );
  const ending = executors.filter((one) => !one.isDeleted && !failed.includes(one) && isEnding(one));
  return Promise.all([
    ...failed.slice(-maxFailingExecutors).map(({ object }) => tails.read(object, hasFailed, maxSteadyLogAgeMs)),
    ...ending.slice(-maxEndingExecutors).map(({ object }) => tails.read(object, () => true, maxSteadyLogAgeMs)),
  ]);
}

/** Returns whether the deletion of a pod was requested after it ran. */
function isEnding({ object: { metadata, status } }: TrackedObject<Pod>): boolean {
  return metadata?.deletionTimestamp !== undefined && status?.phase !== "Pending";
}

function isSteady(executors: readonly TrackedObject<Pod>[], now: number): boolean {
  const isRunning = executors.some(({ object, isDeleted }) => !isDeleted && object.status?.phase === "Running");
  return isRunning && !executors.some((one) => !one.isDeleted && hasProblem(one, now));
}

/** Returns whether a pod failed, cannot start, or has been pending for more than 3 s. */
function hasProblem({ object: { metadata, status }, isDeleted }: TrackedObject<Pod>, now: number): boolean {
  const { phase, conditions = [], containerStatuses = [] } = status ?? {};
  if (phase === "Failed" || containerStatuses.some(hasFailed)) return true;
  if (isDeleted || phase !== "Pending") return false;
  const isUnscheduled = conditions.some(
    (condition) => condition.type === "PodScheduled" && condition.status === "False",
  );
  const isRejected = containerStatuses.some(({ state }) => !normalReasons.includes(state?.waiting?.reason));
  const ageMs = now - (parseInstant(metadata?.creationTimestamp) ?? now);
  return isUnscheduled || isRejected || ageMs > maxPendingMs;
}

/** Reasons with which containers wait during a normal start. */
const normalReasons: readonly (string | undefined)[] = [undefined, "ContainerCreating", "PodInitializing"];
const maxPendingMs = 3000;

function claimsOf({ spec }: Pod): readonly string[] {
  return (spec?.volumes ?? [])
    .flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
    .slice(0, maxClaims);
}
