import type { Clock } from "../../../host/host.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { LatestPod } from "../watch/latest-pod.ts";

/** How far the jobs are that run now. */
export interface JobProgress {
  readonly stages: { readonly done: number; readonly active: number };
  readonly tasks: { readonly done: number; readonly all: number };
}

/** Whose progress is read. */
export interface PollJobsCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly appId: string;
  readonly latest: LatestPod;
  readonly signal: AbortSignal;
}

/** One running job, as Spark's REST API tells of it. Source: Spark, Monitoring and Instrumentation, "REST API". */
interface Job {
  readonly numTasks?: number;
  readonly numCompletedTasks?: number;
  readonly numActiveStages?: number;
  readonly numCompletedStages?: number;
}

const pollMs = 5000;
const restMs = 15_000;
const uiPortName = "spark-ui";
const usualPort = 4040;

/** Asks the driver's web pages through the API now and then; gives the last answer. A refusal ends the asking. */
export function pollJobs(call: PollJobsCall): () => JobProgress | undefined {
  const { clock, latest, signal } = call;
  let progress: JobProgress | undefined;
  void (async () => {
    await latest.until(({ status }) => status?.phase === "Running", signal);
    while (!signal.aborted) {
      let isThere = true;
      try {
        progress = summed(await readJobs(call));
      } catch (error) {
        progress = undefined;
        if (statusOf(error)?.code === 403) return;
        isThere = false;
      }
      await clock.sleep(isThere ? pollMs : restMs, { signal });
    }
  })();
  return () => progress;
}

function readJobs({ client, appId, latest, signal }: PollJobsCall): Promise<unknown> {
  const { namespace = "", name = "" } = latest.get().metadata ?? {};
  return client.fromPod({
    ...{ namespace, pod: name, port: uiPort(latest.get()), signal },
    path: `/api/v1/applications/${encodeURIComponent(appId)}/jobs?status=running`,
  });
}

function uiPort({ spec }: Pod): number {
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find(({ name }) => name === uiPortName)?.containerPort ?? usualPort;
}

function summed(answer: unknown): JobProgress | undefined {
  if (!Array.isArray(answer) || answer.length === 0) return undefined;
  const jobs: readonly Job[] = answer;
  const sum = (count: (job: Job) => number | undefined) =>
    jobs.reduce((total, job) => total + (count(job) ?? 0), 0);
  return {
    stages: {
      done: sum(({ numCompletedStages }) => numCompletedStages),
      active: sum(({ numActiveStages }) => numActiveStages),
    },
    tasks: {
      done: sum(({ numCompletedTasks }) => numCompletedTasks),
      all: sum(({ numTasks }) => numTasks),
    },
  };
}
