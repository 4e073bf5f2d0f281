import type { LogLine } from "../../../diagnosis/observation.ts";
import type { Clock } from "../../../host/host.ts";
import type { ContainerStatus, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { readText } from "../../../kube-client/lines.ts";
import { parseInstant } from "../../../values/instant.ts";

/** Reads the last lines of containers, each no more often than is useful. */
export interface LogTails {
  /**
   * Of those containers that `wanted` names, by name; what cannot be read is left out.
   *
   * What was read within the last `freshMs` is not read again, unless its container has ended since.
   */
  readonly read: (
    pod: Pod,
    wanted: (status: ContainerStatus) => boolean,
    freshMs: number,
  ) => Promise<Readonly<Record<string, readonly LogLine[]>>>;
}

/** The way to logs. */
export interface LogTailsCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Tail {
  readonly lines: Promise<readonly LogLine[]>;
  readonly readAt: number;
  /** Nothing comes after these lines. */
  readonly isWhole: boolean;
}

const tailLines = 300;

/** Has read nothing yet. */
export function logTails({ client, clock, signal }: LogTailsCall): LogTails {
  const tails = new Map<string, Tail>();
  const fetched = async (pod: Pod, container: string): Promise<readonly LogLine[]> => {
    const { namespace = "", name = "" } = pod.metadata ?? {};
    const chunks = client.logs({ namespace, pod: name, container, tailLines, timestamps: true, signal });
    return parseLines(await readText(chunks));
  };
  const readOne = (pod: Pod, status: ContainerStatus, freshMs: number): Promise<readonly LogLine[]> => {
    const key = `${pod.metadata?.uid}/${status.name}/${status.restartCount}`;
    const known = tails.get(key);
    const isOver = isEnded(status);
    const isFresh = known !== undefined && clock.monotonic() - known.readAt < freshMs;
    if (known !== undefined && (known.isWhole || (isFresh && !isOver))) return known.lines;
    // A log is evidence, not a duty. It is asked for again later, unless nothing will come.
    const lines = fetched(pod, status.name).catch(() => known?.lines ?? []);
    tails.set(key, { lines, readAt: clock.monotonic(), isWhole: isOver });
    return lines;
  };
  return {
    async read(pod, wanted, freshMs) {
      const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
      const statuses = [...initContainerStatuses, ...containerStatuses].filter(
        (status) => hasLog(status) && wanted(status),
      );
      const read = await Promise.all(
        statuses.map(async (status) => [status.name, await readOne(pod, status, freshMs)] as const),
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
