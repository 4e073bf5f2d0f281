import type { Clock } from "../../../host/host.ts";
import type { Pod } from "../../../kube/types.ts";
import { printSpan } from "../../print-span.ts";
import type { TrackedObject } from "../diagnose/informer.ts";
import type { Observer } from "../diagnose/observer.ts";
import { driverStatus } from "../watch/driver-end.ts";
import type { LatestPod } from "../watch/latest-pod.ts";
import type { JobProgress } from "./poll-jobs.ts";
import type { StatusLine } from "./status-line.ts";

/** What progress is told of, and where. */
export interface ProgressCall {
  readonly clock: Clock;
  readonly latest: LatestPod;
  readonly container: string;
  readonly observer: Pick<Observer, "executors">;
  readonly jobs: () => JobProgress | undefined;
  readonly line: StatusLine;
  readonly signal: AbortSignal;
}

const redrawMs = 1000;
const quietMs = 10_000;

/** Keeps the status line current; without a terminal, says it when nothing else was said for a while. */
export async function reportProgress(call: ProgressCall): Promise<void> {
  const { clock, line, signal } = call;
  const since = clock.monotonic();
  while (!signal.aborted) {
    const text = () => progressText(call, clock.monotonic() - since);
    if (line.isTerminal) line.show(text());
    else if (line.silenceMs() >= quietMs) line.log("INFO", "Progress", text());
    await clock.sleep(redrawMs, { signal });
  }
}

function progressText({ latest, container, observer, jobs }: ProgressCall, elapsedMs: number): string {
  const parts = [
    `driver ${driverText(latest.get(), container)}, ${printSpan(Math.floor(elapsedMs / 1000) * 1000)}`,
    executorsText(observer.executors()),
    jobsText(jobs()),
  ];
  return parts.filter((part) => part !== undefined).join(" | ");
}

function driverText({ status }: Pod, container: string): string {
  const { waiting } = driverStatus(status?.containerStatuses ?? [], container)?.state ?? {};
  const phase = (status?.phase ?? "unknown").toLowerCase();
  return waiting?.reason === undefined ? phase : `${phase} (${waiting.reason})`;
}

function executorsText(executors: readonly TrackedObject<Pod>[]): string | undefined {
  if (executors.length === 0) return undefined;
  const count = (phase: string, mayBeGone = false) =>
    executors.filter(({ object, isDeleted }) => (mayBeGone || !isDeleted) && object.status?.phase === phase)
      .length;
  const counts = [
    [count("Running"), "running"],
    [count("Pending"), "pending"],
    [count("Failed", true), "failed"],
  ] as const;
  const told = counts.filter(([number], index) => index === 0 || number > 0);
  return `executors ${told.map(([number, word]) => `${number} ${word}`).join(", ")}`;
}

function jobsText(jobs: JobProgress | undefined): string | undefined {
  if (jobs === undefined) return undefined;
  const { stages, tasks } = jobs;
  return `stages ${stages.done} done, ${stages.active} active | tasks ${tasks.done} of ${tasks.all}`;
}
