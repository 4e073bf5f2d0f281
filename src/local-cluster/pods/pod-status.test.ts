import { describe, expect, test } from "vitest";
import type { PodSpec } from "../../kube/types.ts";
import { isObject } from "../api/json.ts";
import {
  delayContainer,
  endContainer,
  initialState,
  type PodRuntimeState,
  runContainer,
  startContainer,
} from "./pod-runtime-state.ts";
import { podStatus } from "./pod-status.ts";
import type { StoredPod } from "./stored-object.ts";

const now = Date.UTC(2026, 0, 1);
const spec: PodSpec = { restartPolicy: "Never", containers: [{ name: "a", image: "busybox:1" }] };

function stored(status: StoredPod["status"] = {}, podSpec = spec): StoredPod {
  const metadata = { name: "p", namespace: "default", uid: "u", resourceVersion: "1", generation: 1 };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: podSpec,
    ...(status === undefined ? {} : { status }),
  };
}
function show(runtime: PodRuntimeState, pod = stored(undefined)) {
  return podStatus(pod, runtime, { hostAddress: "127.90.0.1", address: "127.90.0.2", now });
}
/** Formats each condition as `type=status` with its reason and message. */
function conditions(status: ReturnType<typeof show>): string[] {
  const list = Array.isArray(status["conditions"]) ? status["conditions"] : [];
  return list.map((condition: unknown) =>
    isObject(condition)
      ? [`${condition["type"]}=${condition["status"]}`, condition["reason"], condition["message"]]
          .filter(Boolean)
          .join(" ")
      : "",
  );
}
const setUp = (podSpec = spec): PodRuntimeState => ({ ...initialState(podSpec, now), isSetUp: true });
const run = (runtime: PodRuntimeState, name: string) =>
  runContainer(startContainer(runtime, name), name, { id: "x://1", imageId: "sha256:1", startedAt: now });
const exit = (runtime: PodRuntimeState, name: string, exitCode: number) =>
  endContainer(runtime, name, {
    id: "x://1",
    exitCode,
    reason: exitCode === 0 ? "Completed" : "Error",
    startedAt: now,
    finishedAt: now + 1000,
  });

describe("the kubelet's status", () => {
  test("of a new pod", () => {
    const status = show(initialState(spec, now));
    expect(status).toMatchObject({
      phase: "Pending",
      hostIP: "127.90.0.1",
      startTime: "2026-01-01T00:00:00Z",
    });
    expect(status["containerStatuses"]).toEqual([
      {
        name: "a",
        state: { waiting: { reason: "ContainerCreating" } },
        lastState: {},
        ready: false,
        started: false,
        restartCount: 0,
        image: "busybox:1",
        imageID: "",
      },
    ]);
    expect(conditions(status)).toEqual([
      "PodReadyToStartContainers=False",
      "Initialized=True",
      "Ready=False ContainersNotReady containers with unready status: [a]",
      "ContainersReady=False ContainersNotReady containers with unready status: [a]",
    ]);
  });

  test("of a running pod keeps the scheduler's conditions", () => {
    const pod = stored({ qosClass: "BestEffort", conditions: [{ type: "PodScheduled", status: "True" }] });
    const status = show(run(setUp(), "a"), pod);
    expect(status).toMatchObject({
      phase: "Running",
      qosClass: "BestEffort",
      podIPs: [{ ip: "127.90.0.2" }],
    });
    expect(conditions(status)).toEqual([
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
      "PodScheduled=True",
    ]);
  });

  test.each([
    [0, "Succeeded", "PodCompleted", "Initialized=True PodCompleted"],
    [3, "Failed", "PodFailed", "Initialized=True"],
  ])("of a pod whose container exits with %i is %s only when terminated", (code, phase, reason, initialized) => {
    const ended = exit(run(setUp(), "a"), "a", code);
    expect(show(ended)).toMatchObject({ phase: "Running" });
    expect(conditions(show(ended)).slice(0, 3)).toEqual([
      "PodReadyToStartContainers=True",
      initialized,
      `Ready=False ${reason}`,
    ]);
    expect(show({ ...ended, isTerminated: true })).toMatchObject({ phase });
    expect(conditions(show({ ...ended, isTerminated: true }))[0]).toBe("PodReadyToStartContainers=False");
  });

  test("of running init containers", () => {
    const withInit = { ...spec, initContainers: [{ name: "i", image: "busybox:1" }] };
    const runtime = run(setUp(withInit), "i");
    const status = show(runtime, stored(undefined, withInit));
    expect(status).toMatchObject({
      phase: "Pending",
      initContainerStatuses: [{ name: "i", ready: false, started: true, state: { running: {} } }],
      containerStatuses: [{ state: { waiting: { reason: "PodInitializing" } } }],
    });
    expect(conditions(status)[1]).toBe(
      "Initialized=False ContainersNotInitialized containers with incomplete status: [i]",
    );
    expect(show(exit(runtime, "i", 0), stored(undefined, withInit))).toMatchObject({
      initContainerStatuses: [{ ready: true, started: false }],
    });
  });

  test("of a container that waits for a restart", () => {
    const crashed = exit(run(setUp({ ...spec, restartPolicy: "Always" }), "a"), "a", 1);
    const runtime = delayContainer(crashed, "a", {
      reason: "CrashLoopBackOff",
      message: "back-off 10s",
      retryAt: 0,
    });
    expect(show(runtime)).toMatchObject({
      phase: "Running",
      containerStatuses: [
        { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: { exitCode: 1 } } },
      ],
    });
  });

  test("keeps the time of a condition that did not change", () => {
    const before = { type: "Initialized", status: "True", lastTransitionTime: "2025-12-31T00:00:00Z" };
    const status = show(run(setUp(), "a"), stored({ conditions: [before] }));
    expect(status["conditions"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ lastTransitionTime: "2025-12-31T00:00:00Z" })]),
    );
  });
});
