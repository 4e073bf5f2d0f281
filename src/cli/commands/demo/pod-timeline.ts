import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { Pod } from "../../../kube/types.ts";
import type { WatchEvent } from "../../../kube/watch-event.ts";
import { appSelectorLabel, executorIdLabel, roleLabel } from "../../../plan/labels.ts";

/** Lifecycle of a pod. Times are in ms of a monotonic clock. */
export interface PodTimeline {
  /** `driver`, or `executor 1`. */
  readonly role: string;
  readonly name: string;
  readonly address: string | undefined;
  /** Phase of the pod; `Stopped` after it ended because it was deleted. */
  readonly state: string;
  readonly created: number;
  readonly running: number | undefined;
  readonly finished: number | undefined;
}

/** Timelines of the pods of one application: the one whose driver was created first. */
export interface AppTimeline {
  readonly appId: string | undefined;
  /** Timelines in the order of creation. */
  readonly pods: readonly PodTimeline[];
}

/** Timeline before the first event. */
export const emptyTimeline: AppTimeline = { appId: undefined, pods: [] };

/** Returns the timeline after one more event at `time`; ignores events of other applications. */
export function recordPodEvent(timeline: AppTimeline, event: WatchEvent<Pod>, time: number): AppTimeline {
  if (event.type === "ERROR" || event.type === "BOOKMARK") return timeline;
  const { metadata, status } = event.object;
  const labels = metadata?.labels ?? {};
  const role = labels[roleLabel];
  const isFirst = timeline.appId === undefined && event.type === "ADDED" && role === "driver";
  const appId = isFirst ? labels[appSelectorLabel] : timeline.appId;
  if (appId === undefined || labels[appSelectorLabel] !== appId) return timeline;

  const name = metadata?.name ?? "";
  const before = timeline.pods.find((pod) => pod.name === name);
  const phase = status?.phase ?? "Pending";
  const isFinished = isFinalPhase(phase) || event.type === "DELETED";
  const next: PodTimeline = {
    role: role === "driver" ? role : `executor ${labels[executorIdLabel] ?? "?"}`,
    name,
    state: stateOf(event.object, before),
    address: status?.podIP ?? before?.address,
    created: before?.created ?? time,
    running: before?.running ?? (phase === "Pending" ? undefined : time),
    finished: before?.finished ?? (isFinished ? time : undefined),
  };
  const pods =
    before === undefined ? [...timeline.pods, next] : timeline.pods.map((pod) => (pod === before ? next : pod));
  return { appId, pods };
}

function stateOf({ metadata, status }: Pod, before: PodTimeline | undefined): string {
  if (before?.finished !== undefined) return before.state;
  // At its end, a driver deletes its executors. Their exit by a signal is not a failure.
  const isStopped = metadata?.deletionTimestamp !== undefined && status?.phase === "Failed";
  return isStopped ? "Stopped" : (status?.phase ?? "Pending");
}

/** Returns the driver's timeline, if the driver was created. */
export function driverTimeline({ pods }: AppTimeline): PodTimeline | undefined {
  return pods.find(({ role }) => role === "driver");
}
