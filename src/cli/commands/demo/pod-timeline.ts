import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { Pod } from "../../../kube/types.ts";
import type { WatchEvent } from "../../../kube/watch-event.ts";
import { appSelectorLabel, executorIdLabel, roleLabel } from "../../../plan/labels.ts";

/** What became of one pod of an application. Times are ms of a clock that never steps back. */
export interface PodTimeline {
  /** `driver`, or `executor 1`. */
  readonly role: string;
  readonly name: string;
  readonly address: string | undefined;
  /** Its phase; `Stopped` when it was ended by its deletion. */
  readonly state: string;
  readonly created: number;
  readonly running: number | undefined;
  readonly finished: number | undefined;
}

/** The stories of one application's pods: of the one whose driver was created first. */
export interface AppTimeline {
  readonly appId: string | undefined;
  /** In order of creation. */
  readonly pods: readonly PodTimeline[];
}

/** Before anything happened. */
export const emptyTimeline: AppTimeline = { appId: undefined, pods: [] };

/** The story after one more event at `time`; events of other applications change nothing. */
export function recordPodEvent(story: AppTimeline, event: WatchEvent<Pod>, time: number): AppTimeline {
  if (event.type === "ERROR" || event.type === "BOOKMARK") return story;
  const { metadata, status } = event.object;
  const labels = metadata?.labels ?? {};
  const role = labels[roleLabel];
  const isFirst = story.appId === undefined && event.type === "ADDED" && role === "driver";
  const appId = isFirst ? labels[appSelectorLabel] : story.appId;
  if (appId === undefined || labels[appSelectorLabel] !== appId) return story;

  const name = metadata?.name ?? "";
  const before = story.pods.find((pod) => pod.name === name);
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
    before === undefined ? [...story.pods, next] : story.pods.map((pod) => (pod === before ? next : pod));
  return { appId, pods };
}

function stateOf({ metadata, status }: Pod, before: PodTimeline | undefined): string {
  if (before?.finished !== undefined) return before.state;
  // In the end a driver deletes its executors; that they exit by a signal is no failure.
  const isStopped = metadata?.deletionTimestamp !== undefined && status?.phase === "Failed";
  return isStopped ? "Stopped" : (status?.phase ?? "Pending");
}

/** The driver's story, if it has begun. */
export function driverTimeline({ pods }: AppTimeline): PodTimeline | undefined {
  return pods.find(({ role }) => role === "driver");
}
