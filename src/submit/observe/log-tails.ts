import type { LogLine } from "../../diagnosis/observation.ts";
import type { Clock } from "../../host/host.ts";
import type { ContainerStatus, Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { readText } from "../../kube-client/lines.ts";
import { parseInstant } from "../../values/instant.ts";

/** Reads the last lines of containers, each no more often than is useful. */
export interface LogTails {
  /** Of those containers that `wanted` names, by name; what cannot be read is left out. */
  readonly read: (
    pod: Pod,
    wanted: (status: ContainerStatus) => boolean,
  ) => Promise<Readonly<Record<string, readonly LogLine[]>>>;
}

/** The way to logs. */
export interface LogTailsCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Tail {
  readonly lines: readonly LogLine[];
  readonly readAt: number;
  /** Nothing comes after these lines. */
  readonly isWhole: boolean;
}

const tailLines = 300;
const rereadMs = 30_000;

/** Has read nothing yet. */
export function logTails({ client, clock, signal }: LogTailsCall): LogTails {
  const tails = new Map<string, Tail>();
  const readOne = async (pod: Pod, status: ContainerStatus): Promise<readonly LogLine[]> => {
    const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
    const key = `${uid}/${status.name}/${status.restartCount}`;
    const known = tails.get(key);
    const isOver = isEnded(status);
    const isFresh = known !== undefined && clock.monotonic() - known.readAt < rereadMs;
    if (known !== undefined && (known.isWhole || (isFresh && !isOver))) return known.lines;
    try {
      const chunks = client.logs({
        ...{ namespace, pod: name, container: status.name, tailLines, timestamps: true, signal },
      });
      const lines = parseLines(await readText(chunks));
      tails.set(key, { lines, readAt: clock.monotonic(), isWhole: isOver });
      return lines;
    } catch {
      // A log is evidence, not a duty. It is asked for again later, unless nothing will come.
      tails.set(key, { lines: known?.lines ?? [], readAt: clock.monotonic(), isWhole: isOver });
      return known?.lines ?? [];
    }
  };
  return {
    async read(pod, wanted) {
      const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
      const statuses = [...initContainerStatuses, ...containerStatuses].filter(
        (status) => hasLog(status) && wanted(status),
      );
      const read = await Promise.all(
        statuses.map(async (status) => [status.name, await readOne(pod, status)] as const),
      );
      return Object.fromEntries(read.filter(([, lines]) => lines.length > 0));
    },
  };
}

function hasLog({ state = {}, lastState = {} }: ContainerStatus): boolean {
  return state.running !== undefined || state.terminated !== undefined || lastState.terminated !== undefined;
}

function isEnded({ state = {}, lastState = {} }: ContainerStatus): boolean {
  return (
    state.terminated !== undefined || (state.running === undefined && lastState.terminated !== undefined)
  );
}

/** Whether a container ended badly, now or before its last start. */
export function hasFailed({ state = {}, lastState = {} }: ContainerStatus): boolean {
  return [state.terminated, lastState.terminated].some(
    (ended) => ended !== undefined && ended.exitCode !== 0,
  );
}

function parseLines(text: string): readonly LogLine[] {
  let at = 0;
  return text
    .split("\n")
    .filter((line, index, all) => line !== "" || index < all.length - 1)
    .map((line) => {
      const space = line.indexOf(" ");
      const time = parseInstant(space < 0 ? line : line.slice(0, space));
      // A line without a time goes on with the one before.
      if (time === undefined) return { at, text: line };
      at = time;
      return { at, text: space < 0 ? "" : line.slice(space + 1) };
    });
}
