import type { Observation, ObservedPod } from "../../../diagnosis/observation.ts";
import type { Clock, Random } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Event, Pod, StringMap } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import { parseInstant } from "../../../values/instant.ts";
import { hasStarted } from "../watch/driver-end.ts";
import type { LatestPod } from "../watch/latest-pod.ts";
import { driverProperties } from "./driver-properties.ts";
import { startInformer, type TrackedObject } from "./informer.ts";
import { hasFailed, type LogTails, logTails } from "./log-tails.ts";
import { relatedEvents } from "./related-events.ts";
import { relatedObjects } from "./related-objects.ts";

/** Which driver is observed. */
export interface ObserverCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly latest: LatestPod;
  /** Name of the driver's container. */
  readonly container: string;
  /** Of the driver; read from the cluster when it is not known. */
  readonly properties?: StringMap | undefined;
  /** Called with each refusal that makes reasons stay in the dark. */
  readonly onRefused: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Sees a driver and all that may tell why it does not get on. */
export interface Observer {
  /** The executors by now; known only from when the driver runs. */
  readonly executors: () => readonly TrackedObject<Pod>[];
  /** An executor runs, and none is in trouble: what could come now comes as a change. */
  readonly isSteady: () => boolean;
  /** Calls `listener` when there may be something new to see, the driver's own pod excepted; returns how to stop that. */
  readonly onChange: (listener: () => void) => () => void;
  /** All that is known now; fetches what is wanted besides what is followed. */
  readonly observe: (driver: { readonly isDeleted: boolean }) => Promise<Observation>;
}

/** What a driver that shows no trouble is given before somebody looks around it. */
const calmMs = 3000;
/** How old a log of the driver may be (ms). */
const rereadMs = 4000;
const calmRereadMs = 30_000;
/** Executors whose logs and events are looked at: the latest of those in trouble. */
const mostTroubled = 3;

/**
 * Begins to follow the driver's events and executors, by one connection each.
 *
 * Everything else (logs, objects around, events of others) is read when `observe` is called and the state of the driver
 * makes it useful, the same thing not again within seconds; of a calm driver, within half a minute.
 */
export function observer(call: ObserverCall): Observer {
  const client = call.client.withoutRetries();
  const { clock, random, latest, container, onRefused, signal } = call;
  const { namespace = "", name = "", labels = {} } = latest.get().metadata ?? {};
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const follow = { client, clock, random, namespace, onRefused, signal };
  const events = startInformer<Event>({
    ...{ ...follow, type: resourceTypes.event, fieldSelector: `involvedObject.name=${name}` },
  });
  events.onChange(tell);
  let executors = (): readonly TrackedObject<Pod>[] => [];
  void latest
    .until((pod) => hasStarted(pod, container), signal)
    .then((pod) => {
      const appId = labels[appSelectorLabel];
      if (pod === undefined || appId === undefined) return;
      const labelSelector = `${appSelectorLabel}=${appId},${roleLabel}=executor`;
      const followed = startInformer<Pod>({ ...follow, type: resourceTypes.pod, labelSelector });
      executors = followed.get;
      followed.onChange(() => {
        void readEnds(followed.get(), sources.tails);
        tell();
      });
    });
  const parts = { client, clock, signal };
  const sources: Sources = {
    tails: logTails(parts),
    around: relatedObjects(parts),
    events: relatedEvents({ ...parts, namespace }),
    properties: driverProperties(client, call.properties),
    since: clock.monotonic(),
  };
  return {
    executors: () => executors(),
    isSteady: () => isSteady(executors(), clock.now()),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    observe: ({ isDeleted }) =>
      look({ ...call, client }, sources, {
        isDeleted,
        executors: executors(),
        events: events.get().map(({ object }) => object),
      }),
  };
}

interface Sources {
  readonly tails: LogTails;
  readonly around: ReturnType<typeof relatedObjects>;
  readonly events: ReturnType<typeof relatedEvents>;
  readonly properties: (pod: Pod) => Promise<StringMap>;
  readonly since: number;
}

interface Followed {
  readonly isDeleted: boolean;
  readonly executors: readonly TrackedObject<Pod>[];
  readonly events: readonly Event[];
}

async function look(call: ObserverCall, sources: Sources, followed: Followed): Promise<Observation> {
  const { clock, latest, container } = call;
  const { tails, around, properties, since } = sources;
  const pod = latest.get();
  const begun = hasStarted(pod, container);
  const now = clock.now();
  // What is wrong is told as soon as it is known, and then with the numbers of the nodes.
  const shows = isTroubled({ object: pod, isDeleted: followed.isDeleted }, now);
  const isHeldUp = !begun && (shows || clock.monotonic() - since >= calmMs);
  const troubled = followed.executors.filter((one) => isTroubled(one, now)).slice(-mostTroubled);
  const [logs, objects, others, executorLogs, known] = await Promise.all([
    tails.read(
      pod,
      (status) => (begun && status.name === container) || hasFailed(status),
      isSteady(followed.executors, now) ? calmRereadMs : rereadMs,
    ),
    isHeldUp || troubled.length > 0 ? around.read(pod) : [],
    sources.events.read([
      ...troubled.flatMap(({ object }) => object.metadata?.name ?? []),
      ...(isHeldUp ? claimsOf(pod) : []),
    ]),
    Promise.all(troubled.map(({ object }) => tails.read(object, hasFailed, calmRereadMs))),
    properties(pod),
  ]);
  const executors = followed.executors.map(({ object, isDeleted }): ObservedPod => {
    const at = troubled.findIndex((one) => one.object.metadata?.name === object.metadata?.name);
    return { pod: object, isDeleted, logs: executorLogs[at] ?? {} };
  });
  return {
    now,
    properties: known,
    driver: { pod, isDeleted: followed.isDeleted, logs },
    executors,
    events: [...followed.events, ...others],
    objects,
  };
}

/** Drivers delete failed executors, and their logs with them, within a second or two. */
function readEnds(executors: readonly TrackedObject<Pod>[], tails: LogTails): Promise<unknown> {
  const ended = executors.filter(
    ({ object, isDeleted }) => !isDeleted && object.status?.containerStatuses?.some(hasFailed) === true,
  );
  return Promise.all(
    ended.slice(-mostTroubled).map(({ object }) => tails.read(object, hasFailed, calmRereadMs)),
  );
}

function isSteady(executors: readonly TrackedObject<Pod>[], now: number): boolean {
  const runs = executors.some(({ object, isDeleted }) => !isDeleted && object.status?.phase === "Running");
  return runs && !executors.some((one) => !one.isDeleted && isTroubled(one, now));
}

/** A pod that failed, or does not begin: for a reason, or for long. */
function isTroubled({ object: { metadata, status }, isDeleted }: TrackedObject<Pod>, now: number): boolean {
  const { phase, conditions = [], containerStatuses = [] } = status ?? {};
  if (phase === "Failed" || containerStatuses.some(hasFailed)) return true;
  if (isDeleted || phase !== "Pending") return false;
  const isUnscheduled = conditions.some(({ type, status: is }) => type === "PodScheduled" && is === "False");
  const isRefused = containerStatuses.some(({ state }) => !calmReasons.includes(state?.waiting?.reason));
  return isUnscheduled || isRefused || now - (parseInstant(metadata?.creationTimestamp) ?? now) > longMs;
}

const calmReasons: readonly (string | undefined)[] = [undefined, "ContainerCreating", "PodInitializing"];
const longMs = 3000;

function claimsOf({ spec }: Pod): readonly string[] {
  return (spec?.volumes ?? [])
    .flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
    .slice(0, mostTroubled);
}
