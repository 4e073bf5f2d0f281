import { describe, expect, test } from "vitest";
import type { PodSpec } from "../../kube/types.ts";
import {
  isFinished,
  markLostContainers,
  nextContainers,
  outcomeOf,
  planStops,
  shouldRestart,
  showBackOff,
  showFailedStart,
} from "./pod-progress.ts";
import {
  delayContainer,
  endContainer,
  endHook,
  initialState,
  type PodRuntimeState,
  runContainer,
  shownState,
  startContainer,
  terminatePod,
  withRunning,
} from "./pod-runtime-state.ts";

const at = Date.UTC(2026, 0, 1);

function pod(spec: Partial<PodSpec>): PodRuntimeState {
  const runtime = initialState({ restartPolicy: "Never", containers: [{ name: "a" }], ...spec }, at);
  return { ...runtime, isSetUp: true };
}
function run(runtime: PodRuntimeState, name: string, startedAt = at): PodRuntimeState {
  return runContainer(startContainer(runtime, name), name, { id: "id", imageId: "image", startedAt });
}
function exit(runtime: PodRuntimeState, name: string, exitCode: number, finishedAt = at + 1000): PodRuntimeState {
  return endContainer(runtime, name, { id: "id", exitCode, reason: "x", startedAt: at, finishedAt });
}
const next = (runtime: PodRuntimeState, now = at + 1000) => nextContainers(runtime, now).start;
const named = (runtime: PodRuntimeState, name: string) =>
  runtime.containers.find((container) => container.name === name);

describe("a pod's containers", () => {
  test("start together once the pod is set up", () => {
    const runtime = pod({ containers: [{ name: "a" }, { name: "b" }] });
    expect(next({ ...runtime, isSetUp: false })).toEqual([]);
    expect(next(runtime)).toEqual(["a", "b"]);
    expect(next(startContainer(runtime, "a"))).toEqual(["b"]);
  });
  test("wait for the init containers, which run one by one", () => {
    const runtime = pod({ initContainers: [{ name: "i" }, { name: "j" }] });
    expect(next(runtime)).toEqual(["i"]);
    expect(next(run(runtime, "i"))).toEqual([]);
    const second = exit(run(runtime, "i"), "i", 0);
    expect(next(second)).toEqual(["j"]);
    expect(next(exit(run(second, "j"), "j", 0))).toEqual(["a"]);
  });
  test("start while a sidecar runs, and the pod succeeds before the sidecar ends", () => {
    const runtime = pod({ initContainers: [{ name: "s", restartPolicy: "Always" }] });
    expect(next(runtime)).toEqual(["s"]);
    const both = run(run(runtime, "s"), "a");
    expect(next(exit(both, "s", 1))).toEqual(["s"]);
    const done = exit(both, "a", 0);
    expect([outcomeOf(done), isFinished(done)]).toEqual(["Succeeded", false]);
    expect(isFinished(exit(done, "s", 137))).toBe(true);
  });
});

describe("a sidecar", () => {
  const sidecar = (name: string) => ({ name, restartPolicy: "Always", startupProbe: {} });
  test("blocks later containers until its startup probe has succeeded", () => {
    const runtime = run(pod({ initContainers: [sidecar("s"), { name: "i" }] }), "s");
    expect(next(runtime)).toEqual([]);
    expect(next(withRunning(runtime, "s", { isStarted: true }))).toEqual(["i"]);
  });
  test("stops after the others, in reverse order", () => {
    const withSidecars = ["s", "t"].reduce(
      (runtime, name) => withRunning(run(runtime, name), name, { isStarted: true }),
      pod({ initContainers: [sidecar("s"), sidecar("t")] }),
    );
    const dueStops = (runtime: PodRuntimeState) => planStops(runtime).map(({ name, isDue }) => `${name} ${isDue}`);
    const runtime = run(withSidecars, "a");
    expect(dueStops(runtime)).toEqual([]);
    const termination = terminatePod(runtime, { reason: undefined, message: undefined });
    expect(dueStops(termination)).toEqual(["a true", "t false", "s false"]);
    const alone = exit(runtime, "a", 0);
    expect(dueStops(alone)).toEqual(["t true", "s false"]);
    expect(dueStops(exit(alone, "t", 0))).toEqual(["s true"]);
  });
});

describe("a container's postStart hook", () => {
  test("delays the shown state and the restart count until it has ended", () => {
    const crashed = exit(run(pod({ restartPolicy: "Always" }), "a"), "a", 1);
    const started = { id: "id", imageId: "image", startedAt: at, hasPostStartHook: true };
    const hooked = runContainer(startContainer(crashed, "a"), "a", started);
    const shown = (runtime: PodRuntimeState) => runtime.containers.map(({ state }) => shownState(state).is);
    expect([shown(hooked), named(hooked, "a")?.restarts]).toEqual([["terminated"], 0]);
    const hookEnded = endHook(hooked, "a");
    expect([shown(hookEnded), named(hookEnded, "a")?.restarts]).toEqual([["running"], 1]);
    expect(named(exit(hooked, "a", 2), "a")).toMatchObject({ restarts: 1, last: { exitCode: 1 } });
  });
});

describe("a pod ends", () => {
  test("Succeeded when all exit with 0, Failed when one does not", () => {
    const both = run(run(pod({ containers: [{ name: "a" }, { name: "b" }] }), "a"), "b");
    expect(outcomeOf(exit(both, "a", 1))).toBeUndefined();
    expect(outcomeOf(exit(exit(both, "a", 0), "b", 0))).toBe("Succeeded");
    expect(outcomeOf(exit(exit(both, "a", 0), "b", 2))).toBe("Failed");
  });
  test("Failed when an init container fails and nothing restarts it", () => {
    const runtime = pod({ initContainers: [{ name: "i" }] });
    const failed = exit(run(runtime, "i"), "i", 4);
    expect([outcomeOf(failed), isFinished(failed), next(failed)]).toEqual(["Failed", true, []]);
  });
  test("Failed for a reason of the pod, once its containers have ended", () => {
    const runtime = terminatePod(run(pod({}), "a"), { reason: "DeadlineExceeded", message: "late" });
    expect([outcomeOf(runtime), isFinished(runtime)]).toEqual(["Failed", false]);
    expect(isFinished(exit(runtime, "a", 0))).toBe(true);
  });
  test("with containers that never ran lost, and containers in back-off in their last state", () => {
    const lost = markLostContainers(terminatePod(pod({}), { reason: undefined, message: undefined }), at);
    expect(named(lost, "a")?.state).toMatchObject({ reason: "ContainerStatusUnknown", exitCode: 137 });
    const crashed = exit(run(pod({ restartPolicy: "Always" }), "a"), "a", 4);
    const waiting = delayContainer(crashed, "a", { reason: "CrashLoopBackOff", message: "", retryAt: at });
    const ended = terminatePod(waiting, { reason: undefined, message: undefined });
    expect(named(ended, "a")).toMatchObject({ state: { exitCode: 4 }, last: undefined });
    expect(outcomeOf(ended)).toBe("Failed");
  });
});

describe("a restart", () => {
  test.each([
    ["Never", 0, false],
    ["Never", 1, false],
    ["OnFailure", 0, false],
    ["OnFailure", 1, true],
    ["Always", 0, true],
    ["Always", 1, true],
  ])("with policy %s after exit %i: %s", (restartPolicy, code, expected) => {
    const runtime = exit(run(pod({ restartPolicy }), "a"), "a", code);
    expect(runtime.containers.map((container) => shouldRestart(runtime, container))).toEqual([expected]);
  });
  test("is immediate, then after 10 s, 20 s and so on up to 5 min, and is counted", () => {
    let runtime = pod({ restartPolicy: "Always" });
    const waits: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      runtime = exit(run(runtime, "a"), "a", 1);
      waits.push((nextContainers(runtime, at).nextCheckAt ?? 0) - at - 1000);
    }
    expect(waits).toEqual([0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
    expect(named(runtime, "a")).toMatchObject({ restarts: 7, last: { is: "terminated" } });
  });
  test("is immediate again after ten minutes of running", () => {
    let runtime = pod({ restartPolicy: "Always" });
    for (let count = 0; count < 3; count += 1) runtime = exit(run(runtime, "a"), "a", 1);
    runtime = exit(run(runtime, "a"), "a", 1, at + 600_000);
    expect(next(runtime, at + 600_000)).toEqual(["a"]);
  });
  test("in back-off shows the delay", () => {
    let runtime = pod({ restartPolicy: "Always" });
    for (let count = 0; count < 5; count += 1) runtime = exit(run(runtime, "a"), "a", 1);
    expect(named(showBackOff(runtime, at + 1000, "p_default(u)"), "a")?.state).toEqual({
      is: "waiting",
      reason: "CrashLoopBackOff",
      message: "back-off 1m20s restarting failed container=a pod=p_default(u)",
    });
  });
  test("after a failed start shows the error, then the back-off", () => {
    let runtime = pod({ restartPolicy: "Always" });
    for (let count = 0; count < 2; count += 1) runtime = exit(run(runtime, "a"), "a", 1);
    const failed = showFailedStart(runtime, "a", { reason: "RunContainerError", message: "m" });
    expect(named(failed, "a")).toMatchObject({
      state: { reason: "RunContainerError" },
      last: { exitCode: 1 },
    });
    expect(next(failed, at + 2000)).toEqual([]);
    const waits = showBackOff(failed, at + 2000, "p_default(u)");
    expect(named(waits, "a")?.state).toMatchObject({ reason: "CrashLoopBackOff" });
    expect(next(waits, at + 11_000)).toEqual(["a"]);
  });
  test("in back-off keeps the last run's result", () => {
    const crashed = exit(run(pod({ restartPolicy: "Always" }), "a"), "a", 3);
    const runtime = delayContainer(crashed, "a", { reason: "CrashLoopBackOff", message: "m", retryAt: at });
    expect(named(runtime, "a")).toMatchObject({
      state: { is: "waiting" },
      last: { exitCode: 3 },
      restarts: 0,
    });
    expect(named(run(runtime, "a"), "a")).toMatchObject({ state: { is: "running" }, restarts: 1 });
  });
});
