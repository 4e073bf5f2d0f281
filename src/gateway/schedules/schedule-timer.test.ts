import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import { scheduleTimer } from "./schedule-timer.ts";

function setUp() {
  const clock = testClock(0);
  let timers = 0;
  const due: string[] = [];
  const counted = {
    now: clock.now,
    after(ms: number, action: () => void) {
      timers += 1;
      const cancel = clock.after(ms, () => {
        timers -= 1;
        action();
      });
      return () => {
        timers -= 1;
        cancel();
      };
    },
  };
  return {
    clock,
    due,
    timers: () => timers,
    timer: scheduleTimer(counted, (key) => due.push(`${key} ${clock.now()}`)),
  };
}

test("each schedule is due once at its time, and all share one timer", async () => {
  const { clock, due, timers, timer } = setUp();
  timer.set("b", 2000);
  timer.set("a", 1000);
  timer.set("c", 2000);
  expect(timers()).toBe(1);
  await clock.advance(1000);
  expect(due).toEqual(["a 1000"]);
  await clock.advance(5000);
  expect(due).toEqual(["a 1000", "b 2000", "c 2000"]);
});

test("a schedule whose time has passed is due at once, and one without a time never", async () => {
  const { clock, due, timer } = setUp();
  timer.set("late", -1000);
  timer.set("suspended", 1000);
  timer.set("suspended", undefined);
  await clock.advance(10_000);
  expect(due).toEqual(["late 0"]);
});

test("a clock that jumps is noticed within a minute", async () => {
  const clock = testClock(0);
  let offsetMs = 0;
  const due: number[] = [];
  const jumping = { now: () => clock.now() + offsetMs, after: clock.after };
  scheduleTimer(jumping, () => due.push(clock.now())).set("daily", 86_400_000);
  offsetMs = 86_400_000;
  await clock.advance(60_000);
  expect(due).toEqual([60_000]);
});

test("all schedules are due when the clock is set back, because their times can be wrong", async () => {
  const clock = testClock(0);
  let offsetMs = 86_400_000;
  const due: string[] = [];
  const timer = scheduleTimer({ now: () => clock.now() + offsetMs, after: clock.after }, (key) => due.push(key));
  timer.set("a", 2 * 86_400_000);
  timer.set("b", 3 * 86_400_000);
  await clock.advance(60_000);
  expect(due).toEqual([]);
  offsetMs = 0;
  await clock.advance(60_000);
  expect(due).toEqual(["a", "b"]);
});

test("no schedule is due after a stop", async () => {
  const { clock, due, timer } = setUp();
  timer.set("a", 1000);
  timer.stop();
  await clock.advance(60_000);
  expect(due).toEqual([]);
});
