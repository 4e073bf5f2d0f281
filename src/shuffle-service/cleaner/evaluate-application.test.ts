import { expect, test } from "vitest";
import { type ApplicationHistory, type ApplicationPod, evaluateApplication } from "./evaluate-application.ts";

const times = { retentionMs: 60_000, absenceMs: 60_000, clientModeMs: 3_600_000 };
const driver = (phase: string): ApplicationPod => ({ role: "driver", phase });
const executor = (phase: string): ApplicationPod => ({ role: "executor", phase });

/** Evaluates an application once a step. Returns the decisions: "keep" or the reason of the removal. */
function run(steps: readonly (readonly [number, readonly ApplicationPod[] | "unknown"])[]): readonly string[] {
  let history: ApplicationHistory = { hadDriver: false };
  return steps.map(([nowMs, pods]) => {
    const view =
      pods === "unknown" ? { pods: [], isCompleteList: false, nowMs } : { pods, isCompleteList: true, nowMs };
    const decision = evaluateApplication(history, view, times);
    if (decision.kind === "remove") return decision.reason;
    history = decision.history;
    return "keep";
  });
}

test.each(["Pending", "Running", "Unknown", ""])("a driver in phase %j keeps the files", (phase) => {
  expect(
    run([
      [0, [driver(phase)]],
      [9_000_000, [driver(phase)]],
    ]),
  ).toEqual(["keep", "keep"]);
});

test.each(["Succeeded", "Failed"])("a driver that has %s loses its files after the retention", (phase) => {
  const pods = [driver(phase), executor("Running")];
  expect(
    run([
      [0, pods],
      [59_999, pods],
      [60_000, pods],
    ]),
  ).toEqual(["keep", "keep", "driverEnded"]);
});

test("a driver that runs again resets the retention", () => {
  const [ended, running] = [[driver("Failed")], [driver("Failed"), driver("Running")]];
  expect(
    run([
      [0, ended],
      [50_000, running],
      [70_000, ended],
      [129_000, ended],
      [130_000, ended],
    ]),
  ).toEqual([...["keep", "keep", "keep", "keep", "driverEnded"]]);
});

test("a driver that is gone in two complete lists loses its files", () => {
  const running = [driver("Running")];
  expect(
    run([
      [0, running],
      [10_000, []],
      [69_000, []],
      [70_000, []],
    ]),
  ).toEqual(["keep", "keep", "keep", "driverGone"]);
});

test("a list that failed proves nothing", () => {
  const running = [driver("Running")];
  expect(
    run([
      [0, running],
      [10_000, "unknown"],
      [9_000_000, "unknown"],
    ]),
  ).toEqual(["keep", "keep", "keep"]);
  expect(
    run([
      [0, running],
      [10_000, []],
      [9_000_000, "unknown"],
      [9_000_001, []],
    ]),
  ).toEqual([...["keep", "keep", "keep", "driverGone"]]);
});

test("a driver that returns between two lists keeps its files", () => {
  const running = [driver("Running")];
  expect(
    run([
      [0, running],
      [10_000, []],
      [20_000, running],
      [80_000, []],
      [139_000, []],
    ]),
  ).toEqual([...["keep", "keep", "keep", "keep", "keep"]]);
});

test("in client mode, running executors keep the files, and absence lasts longer", () => {
  expect(
    run([
      [0, [executor("Running")]],
      [7_000_000, [executor("Pending")]],
    ]),
  ).toEqual(["keep", "keep"]);
  const ended = [executor("Succeeded")];
  expect(
    run([
      [0, ended],
      [3_599_999, []],
      [3_600_000, []],
    ]),
  ).toEqual(["keep", "keep", "podsGone"]);
});

test("the first evaluation never removes", () => {
  for (const pods of [[], [driver("Failed")], [executor("Failed")]]) {
    expect(evaluateApplication({ hadDriver: true }, { pods, isCompleteList: true, nowMs: 10 ** 12 }, times).kind).toBe(
      "keep",
    );
  }
});
