import type { LogLine } from "../../../diagnosis/observation.ts";
import type { ContainerStatus, Pod } from "../../../kube/types.ts";
import { readText } from "../../../kube-client/lines.ts";
import { parseInstant } from "../../../values/instant.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";

/** Reader of the last lines of container logs, which caches them. */
export interface LogTails {
  /**
   * Reads the logs of the containers for which `isRelevant` returns true, by name. Omits logs that cannot be read.
   *
   * Uses the cached lines if they are less than `maxAgeMs` old and the container has not ended since.
   */
  readonly read: (
    pod: Pod,
    isRelevant: (status: ContainerStatus) => boolean,
    maxAgeMs: number,
  ) => Promise<Readonly<Record<string, readonly LogLine[]>>>;
}

interface Tail {
  readonly lines: Promise<readonly LogLine[]>;
  readonly readAt: number;
  /** Whether the container had ended: no more lines follow. */
  readonly isComplete: boolean;
}

const tailLines = 300;

/** Creates a reader with an empty cache. */
export function logTails({ client, clock, signal }: Pick<WatchedPod, "client" | "clock" | "signal">): LogTails {
  const tails = new Map<string, Tail>();
  const fetched = async (pod: Pod, container: string): Promise<readonly LogLine[]> => {
    const { namespace = "", name = "" } = pod.metadata ?? {};
    const chunks = client.logs({ namespace, pod: name, container, tailLines, timestamps: true, signal });
    return parseLines(await readText(chunks));
  };
  const readOne = (pod: Pod, status: ContainerStatus, maxAgeMs: number): Promise<readonly LogLine[]> => {
    const key = `${pod.metadata?.uid}/${status.name}/${status.restartCount}`;
    const known = tails.get(key);
    const hasEnded = isTerminated(status);
    const isFresh = known !== undefined && clock.monotonic() - known.readAt < maxAgeMs;
    if (known !== undefined && (known.isComplete || (isFresh && !hasEnded))) return known.lines;
    // The diagnosis also works without this log.
    const lines = fetched(pod, status.name).catch(() => known?.lines ?? []);
    tails.set(key, { lines, readAt: clock.monotonic(), isComplete: hasEnded });
    return lines;
  };
  return {
    async read(pod, isRelevant, maxAgeMs) {
      const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
      const statuses = [...initContainerStatuses, ...containerStatuses].filter(
        (status) => hasLog(status) && isRelevant(status),
      );
      const read = await Promise.all(
        statuses.map(async (status) => [status.name, await readOne(pod, status, maxAgeMs)] as const),
      );
      return Object.fromEntries(read.filter(([, lines]) => lines.length > 0));
    },
  };
}

function hasLog({ state = {}, lastState = {} }: ContainerStatus): boolean {
  return state.running !== undefined || state.terminated !== undefined || lastState.terminated !== undefined;
}

function isTerminated({ state = {}, lastState = {} }: ContainerStatus): boolean {
  return state.terminated !== undefined || (state.running === undefined && lastState.terminated !== undefined);
}

/** Returns whether a container failed, in its current or its previous run. */
export function hasFailed({ state = {}, lastState = {} }: ContainerStatus): boolean {
  return [state.terminated, lastState.terminated].some((ended) => ended !== undefined && ended.exitCode !== 0);
}

function parseLines(text: string): readonly LogLine[] {
  let at = 0;
  return text
    .split("\n")
    .filter((line, index, all) => line !== "" || index < all.length - 1)
    .map((line) => {
      const space = line.indexOf(" ");
      const time = parseInstant(space < 0 ? line : line.slice(0, space));
      // A line without a timestamp continues the line before.
      if (time === undefined) return { at, text: line };
      at = time;
      return { at, text: space < 0 ? "" : line.slice(space + 1) };
    });
}
