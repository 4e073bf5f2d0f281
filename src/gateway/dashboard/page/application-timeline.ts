import type { ApplicationDetails, EventJson } from "./api.ts";

/** A phase of an application. An open one has no end yet. */
export interface Phase {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly isOpen: boolean;
}

/** Number of executors from a time on, until the next step. */
export interface ExecutorStep {
  readonly atMs: number;
  readonly count: number;
}

/** Course of an application. */
export interface Timeline {
  readonly phases: readonly Phase[];
  readonly executors: readonly ExecutorStep[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** Names of the phases that begin when a state is reached, in their order. */
const phaseNames: Readonly<Record<string, string>> = {
  queued: "Queued",
  pending: "Waiting for a node",
  scheduled: "Pulling the image",
  pulled: "Starting the driver",
  running: "Running",
};

/** Builds the course of an application from its history, its executors and the driver's events. */
export function buildTimeline(details: ApplicationDetails, events: readonly EventJson[], nowMs: number): Timeline {
  const times = new Map(details.history.map(({ state, time }) => [String(state), Date.parse(time)]));
  const pulled = events.find(({ reason, object }) => reason === "Pulled" && object === `Pod/${details.podName}`);
  const pulledMs = pulled === undefined ? undefined : Date.parse(pulled.time);
  const endMs = details.endedAt === undefined ? undefined : Date.parse(details.endedAt);
  const toMs = endMs ?? nowMs;
  const started = times.get("running") ?? toMs;
  if (pulledMs !== undefined && pulledMs <= started) times.set("pulled", pulledMs);
  // Clocks differ between machines, but the order of the phases does not.
  let latestMs = 0;
  const reached = Object.entries(phaseNames).flatMap(([state, name]) => {
    const atMs = times.get(state);
    if (atMs === undefined) return [];
    latestMs = Math.max(latestMs, atMs);
    return [{ name, atMs: latestMs }];
  });
  const phases = reached.map(({ name, atMs }, index) => {
    const next = reached[index + 1];
    const isOpen = next === undefined && endMs === undefined;
    return { name, fromMs: atMs, toMs: Math.max(atMs, next?.atMs ?? toMs), isOpen };
  });
  const fromMs = phases[0]?.fromMs ?? toMs;
  const lastMs = Math.max(toMs, latestMs);
  return {
    phases,
    executors: executorSteps(details.executorList, toMs),
    fromMs,
    toMs: Math.max(lastMs, fromMs + 1000),
  };
}

function executorSteps(executors: ApplicationDetails["executorList"], toMs: number): readonly ExecutorStep[] {
  const changes = executors.flatMap(({ createdAt, endedAt }) => [
    ...(createdAt === undefined ? [] : [{ atMs: Date.parse(createdAt), by: 1 }]),
    ...(endedAt === undefined ? [] : [{ atMs: Date.parse(endedAt), by: -1 }]),
  ]);
  const steps: ExecutorStep[] = [];
  let count = 0;
  for (const { atMs, by } of changes.sort((a, b) => a.atMs - b.atMs)) {
    count += by;
    if (steps.at(-1)?.atMs === atMs) steps.pop();
    steps.push({ atMs, count });
  }
  return steps.length === 0 ? [] : [...steps, { atMs: Math.max(toMs, steps.at(-1)?.atMs ?? 0), count }];
}
