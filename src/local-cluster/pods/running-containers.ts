import type { Host } from "../../host/host.ts";
import type { RunningContainer } from "../sandbox/sandbox.ts";
import type { PodEvent } from "./pod-events.ts";
import type { ContainerStop } from "./pod-progress.ts";

/** The processes of a pod's containers, and how they are made to end. */
export interface RunningContainers {
  readonly add: (name: string, member: RunningMember) => void;
  readonly delete: (name: string) => void;
  readonly get: (name: string) => RunningContainer | undefined;
  /**
   * Makes these end: runs their hooks, asks them when it is their turn, and kills them when the grace is over.
   *
   * @returns when there is something to do next, in ms since 1970; `undefined` when there is nothing to wait for.
   */
  readonly stop: (requests: readonly ContainerStop[], graceMs: number) => number | undefined;
  /** Ends all at once; resolves when they are gone. */
  readonly kill: () => Promise<void>;
}

/** A container that runs. */
export interface RunningMember {
  readonly container: RunningContainer;
  readonly record: (event: PodEvent) => void;
  /** To be run before it is asked to end. */
  readonly hook: (() => Promise<void>) | undefined;
}

interface Entry extends RunningMember {
  /** Ms since 1970, once its end began: of the grace, which a hook and waiting for its turn use up. */
  deadline: number | undefined;
  isHookDone: boolean;
  killAt: number | undefined;
  isKilled: boolean;
}

/** After a hook, or its turn, that took all of the grace. */
const minGraceMs = 2000;

/** The containers of one pod; `requestSync` is called when a hook has ended. */
export function runningContainers(
  { clock }: Pick<Host, "clock">,
  requestSync: () => void,
): RunningContainers {
  const entries = new Map<string, Entry>();

  function startTermination(entry: Entry, { name, why }: ContainerStop, graceMs: number): void {
    const message = why?.message ?? `Stopping container ${name}`;
    entry.record({ type: "Normal", reason: "Killing", message });
    if (entry.hook === undefined || graceMs === 0) entry.isHookDone = true;
    else void entry.hook().then(() => markHookDone(entry));
  }

  function markHookDone(entry: Entry): void {
    entry.isHookDone = true;
    requestSync();
  }

  /** @returns when to look again. */
  function proceed(entry: Entry, request: ContainerStop, podGraceMs: number): number | undefined {
    const now = clock.now();
    const graceMs = request.why?.graceMs ?? podGraceMs;
    const isNew = entry.deadline === undefined;
    // A later order may shorten the grace, never lengthen it.
    entry.deadline = Math.min(entry.deadline ?? Number.POSITIVE_INFINITY, now + graceMs);
    if (isNew) startTermination(entry, request, graceMs);
    if (entry.killAt === undefined) {
      if (!(entry.isHookDone && request.isTurn) && entry.deadline > now) return entry.deadline;
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
        const next = entry === undefined || entry.isKilled ? undefined : proceed(entry, request, graceMs);
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
