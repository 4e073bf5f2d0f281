import { expect, test } from "vitest";
import type { Pod } from "../../../kube/types.ts";
import { emptyTimeline, recordPodEvent } from "./pod-timeline.ts";
import { printSummary, stagesOf } from "./summary.ts";

function pod(name: string, labels: Record<string, string>, phase: string, podIP?: string): Pod {
  const status = podIP === undefined ? { phase } : { phase, podIP };
  return { metadata: { name, labels }, status };
}

const app = { "spark-app-selector": "spark-1" };
const driver = { ...app, "spark-role": "driver" };
const otherDriver = { "spark-app-selector": "spark-0", "spark-role": "driver" };
const executor = { ...app, "spark-role": "executor", "spark-exec-id": "1" };

/** Events of an application, with their times in seconds. */
const events: readonly (readonly [number, "ADDED" | "MODIFIED" | "DELETED", Pod])[] = [
  [0, "MODIFIED", pod("other-driver", otherDriver, "Running")],
  [1, "ADDED", pod("pi-driver", driver, "Pending")],
  [1.5, "ADDED", pod("late-driver", otherDriver, "Running")],
  [2, "MODIFIED", pod("pi-driver", driver, "Running", "127.90.0.2")],
  [5, "ADDED", pod("pi-exec-1", executor, "Pending")],
  [6, "MODIFIED", pod("pi-exec-1", executor, "Running", "127.90.0.3")],
  [9, "DELETED", pod("pi-exec-1", executor, "Succeeded")],
  [10, "MODIFIED", pod("pi-driver", driver, "Succeeded", "127.90.0.2")],
];

const timeline = events.reduce(
  (before, [second, type, object]) => recordPodEvent(before, { type, object }, second * 1000),
  emptyTimeline,
);

test("prints the pods and the duration of each stage", () => {
  const stages = [{ name: "find Spark and Java", ms: 120 }, ...stagesOf(timeline, 500)];
  const next = [["npm start -- java", "the same in Java"]] as const;
  expect(
    printSummary({
      result: "Pi is roughly 3.14",
      exitCode: 0,
      timeline,
      stages,
      environment: "bwrap sandboxes",
      next,
    }),
  ).toBe(`
Pi is roughly 3.14

Pods (bwrap sandboxes)
  driver      pi-driver  127.90.0.2  Succeeded  8.0 s
  executor 1  pi-exec-1  127.90.0.3  Succeeded  3.0 s

Durations
  find Spark and Java  0.1 s
  submit               0.5 s
  start the driver     1.0 s
  get an executor      4.0 s
  run                  4.0 s
  total                9.6 s

Next steps
  npm start -- java  the same in Java
`);
});

test("omits stages that did not happen", () => {
  const pending = recordPodEvent(emptyTimeline, { type: "ADDED", object: pod("pi-driver", driver, "Pending") }, 700);
  expect(stagesOf(pending, 500)).toEqual([{ name: "submit", ms: 200 }]);
  expect(stagesOf(emptyTimeline, 500)).toEqual([]);
});

test("shows an executor that its driver deleted as stopped, not as failed", () => {
  const running = pod("pi-exec-2", executor, "Running", "127.90.0.4");
  const deleted: Pod = {
    metadata: { ...running.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
    status: { phase: "Failed" },
  };
  const recorded = [running, deleted, deleted].reduce(
    (before, object, second) => recordPodEvent(before, { type: "MODIFIED", object }, second),
    timeline,
  );
  expect(recorded.pods.find(({ name }) => name === "pi-exec-2")?.state).toBe("Stopped");
});
