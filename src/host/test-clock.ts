import type { Clock } from "./host.ts";

/** A clock that only a test advances. */
export interface TestClock extends Clock {
  /** Moves time on by `ms`; what falls due runs in order, and code that waited runs on before the next is due. */
  readonly advance: (ms: number) => Promise<void>;
  /** Moves time on, from one waiting timer to the next, until the promise settles. @throws Error when nothing waits any more. */
  readonly settle: <T>(promise: Promise<T>) => Promise<T>;
}

/** Starts at `start` (ms since 1970). */
export function testClock(start: number): TestClock {
  let time = start;
  let serial = 0;
  const timers = new Map<number, { readonly due: number; readonly action: () => void }>();
  const after = (ms: number, action: () => void) => {
    serial += 1;
    const id = serial;
    timers.set(id, { due: time + Math.max(0, ms), action });
    return () => {
      timers.delete(id);
    };
  };
  const next = () => {
    const [first] = [...timers].sort(([a, x], [b, y]) => x.due - y.due || a - b);
    return first;
  };
  const fire = (id: number, due: number, action: () => void) => {
    timers.delete(id);
    time = Math.max(time, due);
    action();
  };
  return {
    now: () => time,
    monotonic: () => time - start,
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
      const end = time + ms;
      await settled();
      for (let timer = next(); timer !== undefined && timer[1].due <= end; timer = next()) {
        fire(timer[0], timer[1].due, timer[1].action);
        await settled();
      }
      time = end;
    },
    async settle(promise) {
      let done = false;
      const finish = () => {
        done = true;
      };
      promise.then(finish, finish);
      for (let idle = 0; idle < 200; idle += 1) {
        await settled();
        if (done) return promise;
        const timer = next();
        if (timer === undefined) {
          // A module may be loading: only the real clock helps then.
          if (idle > 10) await new Promise((resolve) => setTimeout(resolve, 10));
          continue;
        }
        idle = 0;
        fire(timer[0], timer[1].due, timer[1].action);
      }
      throw new Error("the promise waits for something that no timer will bring");
    },
  };
}

/** Lets everything that is ready run, stream events included. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
