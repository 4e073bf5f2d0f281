import type { Host } from "../../host/host.ts";
import type { RunningContainer } from "../sandbox/sandbox.ts";
import type { PodEvent } from "./pod-events.ts";
import type { ContainerStop } from "./pod-progress.ts";

/** Running containers of a pod, and their termination. */
export interface RunningContainers {
  readonly add: (name: string, member: RunningMember) => void;
  readonly delete: (name: string) => void;
  readonly get: (name: string) => RunningContainer | undefined;
  /**
   * Terminates containers: runs their hooks, sends SIGTERM when they are due, and SIGKILL after the grace period.
   *
   * @returns the time of the next step in ms since 1970; `undefined` when there is none.
   */
  readonly stop: (requests: readonly ContainerStop[], graceMs: number) => number | undefined;
  /** Kills all containers; resolves when they have ended. */
  readonly kill: () => Promise<void>;
}

interface RunningMember {
  readonly container: RunningContainer;
  readonly record: (event: PodEvent) => void;
  /** Hook to run before SIGTERM. */
  readonly hook: (() => Promise<void>) | undefined;
}

interface Entry extends RunningMember {
  /** Ms since 1970, set when its termination starts: end of the grace period, which hooks and waiting also consume. */
  deadline: number | undefined;
  isHookDone: boolean;
  killAt: number | undefined;
  isKilled: boolean;
}

/** Grace period after a hook or a wait that consumed all of it. */
const minGraceMs = 2000;

interface RunningState {
  readonly clock: Host["clock"];
  readonly requestSync: () => void;
  readonly entries: Map<string, Entry>;
}

/** Manages the running containers of one pod; calls `requestSync` when a hook has ended. */
export function runningContainers({ clock }: Pick<Host, "clock">, requestSync: () => void): RunningContainers {
  const state: RunningState = { clock, requestSync, entries: new Map() };
  const { entries } = state;
  return {
    add: (name, member) => {
      entries.set(name, {
        ...member,
        ...{ deadline: undefined, isHookDone: false, killAt: undefined, isKilled: false },
      });
    },
    delete: (name) => {
      entries.delete(name);
    },
    get: (name) => entries.get(name)?.container,
    stop(requests, graceMs) {
      const times = requests.flatMap((request) => {
        const entry = entries.get(request.name);
        const next = entry === undefined || entry.isKilled ? undefined : advanceStop(state, entry, request, graceMs);
        return next === undefined ? [] : [next];
      });
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async kill() {
      const all = [...entries.values()];
      for (const { container } of all) container.signal("SIGKILL");
      await Promise.all(all.map(({ container }) => container.exited));
    },
  };
}

/** Performs the next step of a termination. @returns the time of the following one, ms since 1970 */
function advanceStop(
  state: RunningState,
  entry: Entry,
  request: ContainerStop,
  podGraceMs: number,
): number | undefined {
  const now = state.clock.now();
  const graceMs = request.why?.graceMs ?? podGraceMs;
  const isNew = entry.deadline === undefined;
  // A later request may shorten the grace period, never extend it.
  entry.deadline = Math.min(entry.deadline ?? Number.POSITIVE_INFINITY, now + graceMs);
  if (isNew) startTermination(state, entry, request, graceMs);
  if (entry.killAt === undefined) {
    if (!(entry.isHookDone && request.isDue) && entry.deadline > now) return entry.deadline;
    const hasWaited = !isNew && graceMs > 0;
    entry.killAt = hasWaited ? Math.max(entry.deadline, now + minGraceMs) : entry.deadline;
    if (entry.killAt > now) entry.container.signal("SIGTERM");
  } else if (graceMs < minGraceMs) {
    entry.killAt = Math.min(entry.killAt, entry.deadline);
  } else {
    entry.killAt = Math.min(entry.killAt, Math.max(entry.deadline, now + minGraceMs));
  }
  if (entry.killAt > now) return entry.killAt;
  entry.isKilled = true;
  entry.container.signal("SIGKILL");
  return undefined;
}

/** Records the termination and runs the container's hook. */
function startTermination(
  { requestSync }: RunningState,
  entry: Entry,
  { name, why }: ContainerStop,
  graceMs: number,
): void {
  const message = why?.message ?? `Stopping container ${name}`;
  entry.record({ type: "Normal", reason: "Killing", message });
  if (entry.hook === undefined || graceMs === 0) entry.isHookDone = true;
  else
    void entry.hook().then(() => {
      entry.isHookDone = true;
      requestSync();
    });
}
