import type { LogLine } from "../../../diagnosis/observation.ts";
import type { ContainerStatus, Pod } from "../../../kube/types.ts";
import { lines } from "../../../kube-client/lines.ts";
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
/** The rest of a longer line is not evidence, and rules would search it for too long. */
const maxLineBytes = 4096;
const maxReadBytes = 16 * 1024 * 1024;

/** Creates a reader with an empty cache. */
export function logTails({ client, clock, signal }: Pick<WatchedPod, "client" | "clock" | "signal">): LogTails {
  const tails = new Map<string, Tail>();
  const fetched = async (pod: Pod, container: string): Promise<readonly LogLine[]> => {
    const { namespace = "", name = "" } = pod.metadata ?? {};
    const chunks = client.logs({ namespace, pod: name, container, tailLines, timestamps: true, signal });
    return readTail(chunks);
  };
  const readOne = (pod: Pod, status: ContainerStatus, maxAgeMs: number): Promise<readonly LogLine[]> => {
    const key = `${pod.metadata?.uid}/${status.name}/${status.restartCount}`;
    const known = tails.get(key);
    const hasEnded = isTerminated(status);
    const isFresh = known !== undefined && clock.monotonic() - known.readAt < maxAgeMs;
    if (known !== undefined && (known.isComplete || (isFresh && !hasEnded))) return known.lines;
    // The diagnosis also works without this log.
    const read = fetched(pod, status.name).catch(() => known?.lines ?? []);
    tails.set(key, { lines: read, readAt: clock.monotonic(), isComplete: hasEnded });
    return read;
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

/** Reads the last lines, and the beginning of each, from a server that may send more. */
async function readTail(chunks: AsyncIterable<Uint8Array>): Promise<readonly LogLine[]> {
  const kept: LogLine[] = [];
  let size = 0;
  let isPart = false;
  for await (const { bytes, end } of lines(chunks, maxLineBytes)) {
    if (!isPart) kept.push(parseLine(bytes.toString("utf8"), kept.at(-1)?.at ?? 0));
    if (kept.length > tailLines) kept.shift();
    isPart = end === "limit";
    size += bytes.length;
    if (size > maxReadBytes) break;
  }
  return kept;
}

/** Parses a line with a timestamp. A line without one continues the line before. */
function parseLine(line: string, previousAt: number): LogLine {
  const space = line.indexOf(" ");
  const at = parseInstant(space < 0 ? line : line.slice(0, space));
  if (at === undefined) return { at: previousAt, text: line };
  return { at, text: space < 0 ? "" : line.slice(space + 1) };
}
