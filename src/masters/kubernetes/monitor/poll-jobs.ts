import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";
import { uiPortOf } from "../watch/ui-port.ts";

/** Progress of the running jobs: numbers of stages and tasks. */
export interface JobProgress {
  readonly stages: { readonly done: number; readonly active: number };
  readonly tasks: { readonly done: number; readonly all: number };
}

interface PollJobsCall extends Pick<WatchedPod, "client" | "clock" | "latest" | "signal"> {
  readonly appId: string;
}

/** A running job in a response of Spark's REST API. Source: Spark, Monitoring and Instrumentation, "REST API". */
interface Job {
  readonly numTasks?: number;
  readonly numCompletedTasks?: number;
  readonly numActiveStages?: number;
  readonly numCompletedStages?: number;
}

/** The first request makes the driver load its REST API: 1,300 classes and seconds of its time. Short applications do without. */
const firstPollMs = 60_000;
const pollMs = 5000;
const retryMs = 15_000;

/**
 * Polls the driver's UI through the API server, from 60 s after the driver's start until the signal aborts. Stops if the API denies it.
 *
 * Returns a function with the last result; `undefined` without running jobs or after a failure.
 */
export function pollJobs(call: PollJobsCall): () => JobProgress | undefined {
  let progress: JobProgress | undefined;
  void poll(call, (latest) => {
    progress = latest;
  });
  return () => progress;
}

async function poll(call: PollJobsCall, set: (progress: JobProgress | undefined) => void): Promise<void> {
  const { clock, latest, signal } = call;
  await latest.until(({ status }) => status?.phase === "Running", signal);
  await clock.sleep(Math.min(firstPollMs, Math.max(0, firstPollMs - runningMs(latest.get(), clock.now()))), { signal });
  while (!signal.aborted) {
    let delayMs = pollMs;
    try {
      set(sumJobs(await fetchJobs(call)));
    } catch (error) {
      set(undefined);
      if (statusOf(error)?.code === 403) return;
      delayMs = retryMs;
    }
    await clock.sleep(delayMs, { signal });
  }
}

/** Returns the time since the newest container of a pod started; 0 if it is unknown. */
function runningMs({ status }: Pod, now: number): number {
  const starts = (status?.containerStatuses ?? []).map(({ state }) => Date.parse(state?.running?.startedAt ?? ""));
  const newest = Math.max(...starts.filter((time) => !Number.isNaN(time)));
  return Number.isFinite(newest) ? now - newest : 0;
}

function fetchJobs({ client, appId, latest, signal }: PollJobsCall): Promise<unknown> {
  const { namespace = "", name = "" } = latest.get().metadata ?? {};
  return client.fromPod({
    ...{ namespace, pod: name, port: uiPortOf(latest.get()), signal },
    path: `/api/v1/applications/${encodeURIComponent(appId)}/jobs?status=running`,
  });
}

function sumJobs(response: unknown): JobProgress | undefined {
  if (!Array.isArray(response) || response.length === 0) return undefined;
  const jobs: readonly Job[] = response;
  const sum = (count: (job: Job) => number | undefined) =>
    jobs.reduce((total, job) => total + (Number(count(job)) || 0), 0);
  return {
    stages: { done: sum((job) => job.numCompletedStages), active: sum((job) => job.numActiveStages) },
    tasks: { done: sum((job) => job.numCompletedTasks), all: sum((job) => job.numTasks) },
  };
}
