import type { Host } from "../../host/host.ts";
import type { RunningContainer } from "../sandbox/sandbox.ts";
import type { PodEvent } from "./pod-events.ts";

/** The processes of a pod's containers, and how they are made to end. */
export interface RunningContainers {
  readonly add: (name: string, container: RunningContainer, record: (event: PodEvent) => void) => void;
  readonly delete: (name: string) => void;
  readonly get: (name: string) => RunningContainer | undefined;
  /**
   * Asks these to end, once, and kills them when the grace is over.
   *
   * @returns when that is, in ms since 1970; `undefined` when there is nothing to wait for.
   */
  readonly stop: (names: readonly string[], graceMs: number) => number | undefined;
  /** Ends all at once; resolves when they are gone. */
  readonly kill: () => Promise<void>;
}

interface Entry {
  readonly container: RunningContainer;
  readonly record: (event: PodEvent) => void;
  /** Ms since 1970; set once it was asked to end. */
  killAt: number | undefined;
  isKilled: boolean;
}

/** The containers of one pod. */
export function runningContainers({ clock }: Pick<Host, "clock">): RunningContainers {
  const entries = new Map<string, Entry>();
  return {
    add: (name, container, record) => {
      entries.set(name, { container, record, killAt: undefined, isKilled: false });
    },
    delete: (name) => {
      entries.delete(name);
    },
    get: (name) => entries.get(name)?.container,
    stop(names, graceMs) {
      let next: number | undefined;
      for (const name of names) {
        const entry = entries.get(name);
        if (entry === undefined || entry.isKilled) continue;
        const now = clock.now();
        if (entry.killAt === undefined) {
          entry.record({ type: "Normal", reason: "Killing", message: `Stopping container ${name}` });
          if (graceMs > 0) entry.container.signal("SIGTERM");
        }
        // A later order may shorten the grace, never lengthen it.
        entry.killAt = Math.min(entry.killAt ?? Number.POSITIVE_INFINITY, now + graceMs);
        if (entry.killAt <= now) {
          entry.isKilled = true;
          entry.container.signal("SIGKILL");
        } else {
          next = Math.min(next ?? Number.POSITIVE_INFINITY, entry.killAt);
        }
      }
      return next;
    },
    async kill() {
      const all = [...entries.values()];
      for (const { container } of all) container.signal("SIGKILL");
      await Promise.all(all.map(({ container }) => container.exited));
    },
  };
}
