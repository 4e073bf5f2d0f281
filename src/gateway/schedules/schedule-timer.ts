import type { Clock } from "../../host/host.ts";

/** Longest wait between two comparisons with the clock, in ms: the clock of the machine may change. */
const maxWaitMs = 60_000;

/** One timer for all schedules. */
export interface ScheduleTimer {
  /** Sets the time of the next decision about a schedule, in ms since 1970; `undefined` for none. */
  readonly set: (key: string, atMs: number | undefined) => void;
  readonly stop: () => void;
}

/** Calls `onDue` once for each schedule whose time has come, and for all if the clock was set back. */
export function scheduleTimer(clock: Pick<Clock, "now" | "after">, onDue: (key: string) => void): ScheduleTimer {
  const times = new Map<string, number>();
  let cancel = () => {};
  let latestMs = clock.now();
  const plan = () => {
    cancel();
    latestMs = Math.max(latestMs, clock.now());
    if (times.size === 0) return;
    const delayMs = Math.min(...times.values()) - clock.now();
    cancel = clock.after(Math.min(Math.max(delayMs, 0), maxWaitMs), tick);
  };
  const tick = () => {
    const nowMs = clock.now();
    // The times can come from a clock that was wrong.
    const isSetBack = nowMs < latestMs;
    latestMs = nowMs;
    const due = [...times].filter(([, atMs]) => isSetBack || atMs <= nowMs).map(([key]) => key);
    for (const key of due) times.delete(key);
    plan();
    for (const key of due) onDue(key);
  };
  return {
    set(key, atMs) {
      if (atMs === undefined) times.delete(key);
      else times.set(key, atMs);
      plan();
    },
    stop() {
      times.clear();
      cancel();
    },
  };
}
