import { expect, test } from "vitest";
import type { ApplicationDetails } from "./api.ts";
import { buildTimeline } from "./application-timeline.ts";

const at = (second: number) => new Date(second * 1000).toISOString();

function details(changes: Partial<ApplicationDetails>): ApplicationDetails {
  return {
    ...{ key: "a", protocol: "api", id: "0", name: "report", owner: undefined, proxyUser: undefined },
    ...{ namespace: "jobs", podName: "report-driver", queue: undefined, priority: 0, attempt: 1, appId: undefined },
    ...{ state: "running", reason: undefined, message: undefined, exitCode: undefined, position: undefined },
    ...{ acceptedAt: at(0), startedAt: undefined, endedAt: undefined, nodeName: undefined, killedBy: undefined },
    ...{ executors: { running: 0, failed: 0, total: 0 }, history: [], executorList: [], submissionLog: [] },
    ...changes,
  };
}

function phasesOf(application: ApplicationDetails, events: Parameters<typeof buildTimeline>[1] = [], nowS = 100) {
  const { phases } = buildTimeline(application, events, nowS * 1000);
  return phases.map(({ name, fromMs, toMs, isOpen }) => [name, fromMs / 1000, toMs / 1000, isOpen]);
}

const history = [
  { state: "queued" as const, time: at(0) },
  { state: "pending" as const, time: at(10) },
  { state: "scheduled" as const, time: at(12) },
  { state: "running" as const, time: at(30) },
];

test("divides the time into phases; the last one is open until the end", () => {
  const pulled = { time: at(25), type: "Normal", reason: "Pulled", object: "Pod/report-driver", count: 1, message: "" };
  const other = { ...pulled, object: "Pod/report-exec-1", time: at(40) };
  expect(phasesOf(details({ history }), [other, pulled])).toEqual([
    ["Queued", 0, 10, false],
    ["Waiting for a node", 10, 12, false],
    ["Pulling the image", 12, 25, false],
    ["Starting the driver", 25, 30, false],
    ["Running", 30, 100, true],
  ]);
  expect(phasesOf(details({ history, state: "failed", endedAt: at(50) })).at(-1)).toEqual(["Running", 30, 50, false]);
});

test("keeps the order of the phases although clocks differ", () => {
  const early = history.map((entry) => (entry.state === "running" ? { ...entry, time: at(5) } : entry));
  expect(phasesOf(details({ history: early })).map(([name, from]) => [name, from])).toEqual([
    ["Queued", 0],
    ["Waiting for a node", 10],
    ["Pulling the image", 12],
    ["Running", 12],
  ]);
});

test("counts executors over time", () => {
  const executor = { podName: "", state: "running" as const, reason: undefined, endedAt: undefined };
  const executorList = [
    { ...executor, id: "1", createdAt: at(40), endedAt: at(60) },
    { ...executor, id: "2", createdAt: at(40) },
  ];
  const { executors } = buildTimeline(details({ history, executorList }), [], 100_000);
  expect(executors.map(({ atMs, count }) => [atMs / 1000, count])).toEqual([
    [40, 2],
    [60, 1],
    [100, 1],
  ]);
});
