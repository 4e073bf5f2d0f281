import type { Pod } from "../../../kube/types.ts";
import type { WatchEvent } from "../../../kube/watch-event.ts";

/** What became of one pod of an application. Times are ms of a clock that never steps back. */
export interface PodStory {
  readonly name: string;
  /** `driver`, or `executor 1`. */
  readonly role: string;
  readonly address: string | undefined;
  readonly phase: string;
  readonly created: number;
  readonly running: number | undefined;
  readonly finished: number | undefined;
}

/** The stories of an application's pods, by name, the driver's first. */
export type AppStory = ReadonlyMap<string, PodStory>;

/** The stories after one more event at `time`; events of other pods change nothing. */
export function tellPod(story: AppStory, event: WatchEvent<Pod>, time: number): AppStory {
  if (event.type === "ERROR" || event.type === "BOOKMARK") return story;
  const { metadata, status } = event.object;
  const name = metadata?.name ?? "";
  const role = roleOf(metadata?.labels ?? {});
  if (role === undefined) return story;
  const before = story.get(name);
  const phase = status?.phase ?? "Pending";
  const isFinished = phase === "Succeeded" || phase === "Failed" || event.type === "DELETED";
  const next: PodStory = {
    ...{ name, role, phase },
    address: status?.podIP ?? before?.address,
    created: before?.created ?? time,
    running: before?.running ?? (phase === "Pending" ? undefined : time),
    finished: before?.finished ?? (isFinished ? time : undefined),
  };
  return new Map([...story, [name, next]]);
}

function roleOf(labels: Readonly<Record<string, string>>): string | undefined {
  const role = labels["spark-role"];
  if (role === "driver") return role;
  return role === "executor" ? `executor ${labels["spark-exec-id"] ?? "?"}` : undefined;
}
