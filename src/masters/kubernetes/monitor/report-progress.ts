import type { Pod } from "../../../kube/types.ts";
import { printSpan } from "../../print-span.ts";
import type { TrackedObject } from "../diagnose/informer.ts";
import type { Observer } from "../diagnose/observer.ts";
import { driverStatus } from "../watch/driver-end.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";
import type { JobProgress } from "./poll-jobs.ts";
import type { StatusLine } from "./status-line.ts";

interface ProgressCall extends Pick<WatchedPod, "clock" | "latest" | "container" | "signal"> {
  readonly observer: Pick<Observer, "executors">;
  readonly jobs: () => JobProgress | undefined;
  readonly line: StatusLine;
}

/** The state that was logged last, and when (monotonic ms). */
interface LoggedState {
  readonly state: string;
  readonly at: number;
}

const tickMs = 1000;
/** Minimum time between two logged changes: executors can change every second. */
const minChangeIntervalMs = 5000;
const repeatMs = 30_000;

/**
 * Reports the progress of a driver until the signal aborts.
 *
 * On a terminal, rewrites the status line every second. Otherwise logs one line if the driver's or the executors' state has
 * changed, and one every 30 s. The initial state is not a change: the wait for the driver begins with it.
 */
export async function reportProgress(call: ProgressCall): Promise<void> {
  const { clock, line, signal } = call;
  const startedAt = clock.monotonic();
  let logged: LoggedState = { state: stateText(call), at: startedAt };
  while (!signal.aborted) {
    const now = clock.monotonic();
    const state = stateText(call);
    if (line.isTerminal) line.show(progressText(call, now - startedAt));
    else if (isDue(logged, state, now)) {
      line.log("INFO", "Progress", progressText(call, now - startedAt));
      logged = { state, at: now };
    }
    await clock.sleep(tickMs, { signal });
  }
}

function isDue(logged: LoggedState, state: string, now: number): boolean {
  return now - logged.at >= (state === logged.state ? repeatMs : minChangeIntervalMs);
}

/** Prints the parts whose change is logged. Stages and tasks change too often for that. */
function stateText({ latest, container, observer }: ProgressCall): string {
  return [driverText(latest.get(), container), executorsText(observer.executors())].join(" | ");
}

function progressText({ latest, container, observer, jobs }: ProgressCall, elapsedMs: number): string {
  const parts = [
    `driver ${driverText(latest.get(), container)}, ${printSpan(Math.floor(elapsedMs / 1000) * 1000)}`,
    executorsText(observer.executors()),
    jobsText(jobs()),
  ];
  return parts.filter((part) => part !== undefined).join(" | ");
}

function driverText(pod: Pod, container: string): string {
  const { waiting } = driverStatus(pod, container)?.state ?? {};
  const phase = (pod.status?.phase ?? "unknown").toLowerCase();
  return waiting?.reason === undefined ? phase : `${phase} (${waiting.reason})`;
}

function executorsText(executors: readonly TrackedObject<Pod>[]): string | undefined {
  if (executors.length === 0) return undefined;
  const existing = executors.filter(({ isDeleted }) => !isDeleted);
  const counts = [
    [countPhase(existing, "Running"), "running"],
    [countPhase(existing, "Pending"), "pending"],
    // Drivers delete failed executors.
    [countPhase(executors, "Failed"), "failed"],
  ] as const;
  const shown = counts.filter(([count], index) => index === 0 || count > 0);
  return `executors ${shown.map(([count, phase]) => `${count} ${phase}`).join(", ")}`;
}

function countPhase(executors: readonly TrackedObject<Pod>[], phase: string): number {
  return executors.filter(({ object }) => object.status?.phase === phase).length;
}

function jobsText(jobs: JobProgress | undefined): string | undefined {
  if (jobs === undefined) return undefined;
  const { stages, tasks } = jobs;
  return `stages ${stages.done} done, ${stages.active} active | tasks ${tasks.done} of ${tasks.all}`;
}
