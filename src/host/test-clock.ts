import type { Clock } from "./host.ts";

/** A clock that only a test advances. */
export interface TestClock extends Clock {
  /** Advances time by `ms`. Due timers run in order; code that waited for one runs before the next. */
  readonly advance: (ms: number) => Promise<void>;
  /**
   * Advances time from timer to timer until the promise settles. Without a timer, waits up to `timeoutMs` for a module that is loading.
   *
   * @throws Error when no timer is left
   */
  readonly settle: <T>(promise: Promise<T>, timeoutMs?: number) => Promise<T>;
}

interface Timer {
  readonly due: number;
  readonly action: () => void;
}

interface ClockState {
  time: number;
  readonly timers: Set<Timer>;
}

/** Creates a clock that shows `start` (ms since 1970). */
export function testClock(start: number): TestClock {
  const state: ClockState = { time: start, timers: new Set() };
  const after = (ms: number, action: () => void) => {
    const timer = { due: state.time + Math.max(0, ms), action };
    state.timers.add(timer);
    return () => void state.timers.delete(timer);
  };
  return {
    now: () => state.time,
    monotonic: () => state.time - start,
    after,
    sleep(ms, { signal } = {}) {
      return new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const done = () => {
          cancel();
          signal?.removeEventListener("abort", done);
          resolve();
        };
        const cancel = after(ms, done);
        signal?.addEventListener("abort", done, { once: true });
      });
    },
    async advance(ms) {
      const end = state.time + ms;
      await runReady();
      for (let timer = nextTimer(state); timer !== undefined && timer.due <= end; timer = nextTimer(state)) {
        fire(state, timer);
        await runReady();
      }
      state.time = end;
    },
    settle: (promise, timeoutMs = 10_000) => settle(state, promise, timeoutMs),
  };
}

/** Returns the timer that is due first. The sort is stable: of several, the oldest. */
function nextTimer({ timers }: ClockState): Timer | undefined {
  return [...timers].sort((a, b) => a.due - b.due)[0];
}

function fire(state: ClockState, timer: Timer): void {
  state.timers.delete(timer);
  state.time = Math.max(state.time, timer.due);
  timer.action();
}

const pollMs = 10;

async function settle<T>(state: ClockState, promise: Promise<T>, timeoutMs: number): Promise<T> {
  let isSettled = false;
  const finish = () => {
    isSettled = true;
  };
  promise.then(finish, finish);
  for (let idle = 0; idle * pollMs < timeoutMs; idle += 1) {
    await runReady();
    if (isSettled) return promise;
    const timer = nextTimer(state);
    if (timer === undefined) {
      // A module may be loading: only the real clock helps then.
      if (idle > 10) await new Promise((resolve) => setTimeout(resolve, pollMs));
      continue;
    }
    idle = 0;
    fire(state, timer);
  }
  throw new Error("the promise does not settle, and no timer is left");
}

/** Runs everything that is ready, stream events included. */
async function runReady(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
