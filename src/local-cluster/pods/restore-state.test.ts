import { describe, expect, test } from "vitest";
import { nextContainers } from "./pod-progress.ts";
import { restoreState } from "./restore-state.ts";
import { isPod, type StoredPod } from "./stored-object.ts";

const now = Date.UTC(2026, 0, 31, 12);
const startedAt = "2026-01-31T11:00:00Z";
const running = { running: { startedAt } };
const done = { terminated: { exitCode: 0, reason: "Completed", startedAt, finishedAt: startedAt } };
const waiting = { waiting: { reason: "PodInitializing" } };

/** Builds a pod with an init container and an app container, in the given state. */
function podWithStatus(restartPolicy: string, phase: string, init: object, app: object): StoredPod {
  const status = (name: string, state: object) => ({
    name,
    state,
    restartCount: 2,
    image: "a",
    imageID: "b",
  });
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", uid: "u", resourceVersion: "1" },
    spec: { restartPolicy, initContainers: [{ name: "i" }], containers: [{ name: "a" }] },
    status: {
      phase,
      startTime: startedAt,
      initContainerStatuses: [status("i", init)],
      containerStatuses: [status("a", app)],
    },
  };
  if (!isPod(pod)) throw new TypeError("no pod");
  return pod;
}

describe("a pod of a cluster that ended", () => {
  test("fails if it ran and its restart policy is Never", () => {
    const runtime = restoreState(podWithStatus("Never", "Running", done, running), now);
    expect(runtime.termination).toMatchObject({ reason: "NodeRestarted" });
    expect(runtime.containers[1]?.state).toMatchObject({
      is: "terminated",
      exitCode: 255,
      reason: "Unknown",
      finishedAt: now,
    });
  });

  test("starts from the beginning if it had not run", () => {
    const runtime = restoreState(podWithStatus("Never", "Pending", done, waiting), now);
    expect(runtime).toMatchObject({ termination: undefined, isTerminated: false });
    expect(nextContainers({ ...runtime, isSetUp: true }, now).start).toEqual(["i"]);
  });

  test.each(["Always", "OnFailure"])(
    "runs again, starting with its init containers, with restart policy %s",
    (policy) => {
      const runtime = restoreState(podWithStatus(policy, "Running", done, running), now);
      expect(runtime.termination).toBeUndefined();
      expect(runtime.startTime).toBe(Date.parse(startedAt));
      expect(nextContainers({ ...runtime, isSetUp: true }, now).start).toEqual(["i"]);
      expect(runtime.containers.map(({ restarts }) => restarts)).toEqual([2, 2]);
    },
  );

  test("keeps its final state if it had terminated", () => {
    const runtime = restoreState(podWithStatus("Never", "Succeeded", done, done), now);
    expect(runtime).toMatchObject({ isTerminated: true, termination: undefined });
    expect(runtime.containers[1]?.state).toMatchObject({ exitCode: 0, reason: "Completed" });
  });
});
