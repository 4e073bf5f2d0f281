import type { CronJobStatus } from "kubernetes-types/batch/v1.d.ts";
import { CronSyntaxError } from "../../../../cron/cron-field.ts";
import { zonedTimestamp } from "../../../../cron/time-zone.ts";
import type { ApiScope } from "../../../api/call.ts";
import { timestamp } from "../../../api/timestamp.ts";
import { type Controller, deleteObject, findByKey, keyOf, startReconciler } from "../../controller.ts";
import { createObject, rejectionMessage, writeStatus } from "../../create-object.ts";
import { isJob, type JobObject, outcomeOf } from "../jobs/job-object.ts";
import { controllerOf, isTerminating, ownedBy, ownObjects } from "../pods.ts";
import { type CronJobObject, isCronJob, type NextTime, scheduleOf, zoneOf } from "./cron-job-object.ts";
import { delayUntilNext, dueTimes, InvalidSchedule, isSuspicious } from "./missed-times.ts";

const component = "cronjob-controller";
const collection = "cronjobs.batch";

/** Starts jobs at the times of schedules. Source: Kubernetes 1.35, pkg/controller/cronjob. */
export const startCronJobs: Controller = (api) =>
  startReconciler(api, {
    observe({ type, collection: changed, object, previous }, add) {
      if (changed === collection && type !== "DELETED" && isCronJob(object)) {
        // A new schedule applies from its next time on.
        const isNewSchedule = previous !== undefined && isCronJob(previous) && isRescheduled(object, previous);
        add(keyOf(object), isNewSchedule ? delayOf(api, object) : 0);
      }
      if (changed !== "jobs.batch") return;
      for (const job of previous === undefined ? [object] : [object, previous]) {
        const owner = controllerOf(job);
        if (owner?.kind === "CronJob") add(`${job.metadata.namespace}/${owner.name}`);
      }
    },
    work(key, add) {
      const cronJob = findByKey(api.store, collection, key);
      if (cronJob === undefined || !isCronJob(cronJob)) return;
      const delayMs = syncCronJob(api, cronJob);
      if (delayMs !== undefined) add(key, delayMs);
    },
  });

function isRescheduled({ spec }: CronJobObject, { spec: old }: CronJobObject): boolean {
  return spec.schedule !== old.schedule || spec.timeZone !== old.timeZone;
}

function delayOf(api: ApiScope, cronJob: CronJobObject): number {
  try {
    return delayUntilNext(cronJob, scheduleOf(cronJob), api.clock.now()) ?? 0;
  } catch (error) {
    if (error instanceof CronSyntaxError) return 0;
    throw error;
  }
}

/** State of one reconciliation. */
interface CronJobSync {
  readonly api: ApiScope;
  readonly cronJob: CronJobObject;
  status: CronJobStatus;
}

type EventType = "Normal" | "Warning";

function record({ api, cronJob }: CronJobSync, type: EventType, reason: string, message: string): void {
  api.events.record(cronJob, { type, reason, message, component });
}

/** Reconciles a CronJob. @returns ms after which it must be reconciled again */
function syncCronJob(api: ApiScope, cronJob: CronJobObject): number | undefined {
  const sync: CronJobSync = { api, cronJob, status: cronJob.status ?? {} };
  const { spec } = cronJob;
  try {
    const jobs = ownObjects(api.store, "jobs.batch", cronJob).filter(isJob);
    for (const isComplete of [true, false]) forgetOld(sync, jobs, isComplete);
    for (const job of ownObjects(api.store, "jobs.batch", cronJob).filter(isJob)) noteJob(sync, job);
    noteMissingJobs(sync);
    return isTerminating(cronJob) || spec.suspend === true ? undefined : startDueJob(sync);
  } finally {
    const { active = [], ...rest } = sync.status;
    writeStatus(api, collection, cronJob, { ...(active.length > 0 && { active }), ...rest });
  }
}

/** Deletes the oldest finished jobs. */
function forgetOld(sync: CronJobSync, jobs: readonly JobObject[], isComplete: boolean): void {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = sync.cronJob.spec;
  const limit = isComplete ? successfulJobsHistoryLimit : failedJobsHistoryLimit;
  const finished = jobs.filter((job) => outcomeOf(job)?.type === (isComplete ? "Complete" : "Failed"));
  if (limit === undefined || finished.length <= limit) return;
  for (const job of [...finished].sort(byStartTime).slice(0, finished.length - limit)) deleteJob(sync, job);
}

function byStartTime(a: JobObject, b: JobObject): number {
  const start = ({ status }: JobObject) => Date.parse(status?.startTime ?? "") || Number.MAX_SAFE_INTEGER;
  return start(a) - start(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function deleteJob(sync: CronJobSync, job: JobObject): void {
  deleteObject(sync.api, "jobs.batch", job);
  removeActive(sync, job.metadata.uid);
  record(sync, "Normal", "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
}

function removeActive(sync: CronJobSync, uid: string | undefined): void {
  const active = (sync.status.active ?? []).filter((reference) => reference.uid !== uid);
  sync.status = { ...sync.status, active };
}

function isListed({ status }: CronJobSync, { metadata }: JobObject): boolean {
  return (status.active ?? []).some(({ uid }) => uid === metadata.uid);
}

/** Updates the status after a change of a job. */
function noteJob(sync: CronJobSync, job: JobObject): void {
  const { name, uid } = job.metadata;
  const outcome = outcomeOf(job);
  if (outcome === undefined) {
    const message = `Saw a job that the controller did not create or forgot: ${name}`;
    if (!isListed(sync, job)) record(sync, "Warning", "UnexpectedJob", message);
    return;
  }
  if (isListed(sync, job)) {
    removeActive(sync, uid);
    record(sync, "Normal", "SawCompletedJob", `Saw completed job: ${name}, condition: ${outcome.type}`);
  }
  const ended = job.status?.completionTime;
  const last = sync.status.lastSuccessfulTime ?? "";
  if (outcome.type === "Complete" && ended !== undefined && !(Date.parse(ended) <= Date.parse(last)))
    sync.status = { ...sync.status, lastSuccessfulTime: ended };
}

function noteMissingJobs(sync: CronJobSync): void {
  for (const { name = "", uid } of sync.status.active ?? []) {
    const job = sync.api.store.get("jobs.batch", sync.cronJob.metadata.namespace, name);
    if (job !== undefined) continue;
    record(sync, "Normal", "MissingJob", `Active job went missing: ${name}`);
    removeActive(sync, uid);
  }
}

/** Starts the job of the most recent scheduled time, unless it was started or must not start. */
function startDueJob(sync: CronJobSync): number | undefined {
  const { api, cronJob } = sync;
  const { schedule } = cronJob.spec;
  const now = api.clock.now();
  try {
    const next = scheduleOf(cronJob);
    const time = dueTime(sync, next, now);
    if (time !== undefined && isAllowed(sync, time)) startJob(sync, time);
    return delayUntilNext({ ...cronJob, status: sync.status }, next, now);
  } catch (error) {
    if (error instanceof CronSyntaxError)
      record(sync, "Warning", "UnparseableSchedule", `unparseable schedule: "${schedule}" : ${error.message}`);
    else if (error instanceof InvalidSchedule)
      record(sync, "Warning", "InvalidSchedule", `invalid schedule: ${schedule} : ${error.message}`);
    else throw error;
    return undefined;
  }
}

function dueTime(sync: CronJobSync, next: NextTime, now: number): number | undefined {
  const { startingDeadlineSeconds } = sync.cronJob.spec;
  const maxAgeMs = startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1000;
  const times = dueTimes(sync.cronJob, next, { now, maxAgeMs });
  if (times.latest === undefined) return undefined;
  if (isSuspicious(times)) {
    const advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    record(sync, "Warning", "TooManyMissedTimes", `too many missed start times. ${advice}`);
  }
  if (maxAgeMs === undefined || times.latest + maxAgeMs >= now) return times.latest;
  const text = new Date(times.latest).toUTCString().replace("GMT", "+0000");
  record(sync, "Warning", "MissSchedule", `Missed scheduled time to start a job: ${text}`);
  return undefined;
}

/** Returns the name of a scheduled job: with the minutes since 1970, so it is created at most once. */
function jobName({ metadata }: CronJobObject, time: number): string {
  return `${metadata.name}-${Math.floor(time / 60_000)}`;
}

function isAllowed(sync: CronJobSync, time: number): boolean {
  const { cronJob, status } = sync;
  const { active = [], lastScheduleTime } = status;
  if (active.some(({ name }) => name === jobName(cronJob, time)) || lastScheduleTime === timestamp(time)) return false;
  const { concurrencyPolicy } = cronJob.spec;
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    const why = "prior execution is running and concurrency policy is Forbid";
    record(sync, "Normal", "JobAlreadyActive", `Not starting job because ${why}`);
    return false;
  }
  if (concurrencyPolicy === "Replace") for (const { name = "" } of active) replaceJob(sync, name);
  return true;
}

function replaceJob(sync: CronJobSync, name: string): void {
  const job = sync.api.store.get("jobs.batch", sync.cronJob.metadata.namespace, name);
  if (job !== undefined && isJob(job)) deleteJob(sync, job);
}

function startJob(sync: CronJobSync, time: number): void {
  const { api, cronJob } = sync;
  const { namespace } = cronJob.metadata;
  const name = jobName(cronJob, time);
  const existing = api.store.get("jobs.batch", namespace, name);
  if (existing !== undefined && controllerOf(existing)?.uid !== cronJob.metadata.uid) return;
  if (existing === undefined) createJob(sync, name, time);
  const job = api.store.get("jobs.batch", namespace, name);
  if (job === undefined) return;
  const { apiVersion, kind, metadata } = job;
  const { uid, resourceVersion } = metadata;
  const reference = { kind, namespace, name, uid, apiVersion, resourceVersion };
  const active = [...(sync.status.active ?? []), reference];
  sync.status = { ...sync.status, active, lastScheduleTime: timestamp(time) };
}

function createJob(sync: CronJobSync, name: string, time: number): void {
  const { api, cronJob } = sync;
  const { metadata: template, spec = { template: {} } } = cronJob.spec.jobTemplate;
  const scheduled = zonedTimestamp(zoneOf(cronJob.spec), time);
  const metadata = {
    ...{ name, namespace: cronJob.metadata.namespace },
    ...(template?.labels && { labels: template.labels }),
    annotations: { ...template?.annotations, "batch.kubernetes.io/cronjob-scheduled-timestamp": scheduled },
    ownerReferences: ownedBy(cronJob),
  };
  try {
    createObject(api, "jobs.batch", { apiVersion: "batch/v1", kind: "Job", metadata, spec });
  } catch (error) {
    record(sync, "Warning", "FailedCreate", `Error creating job: ${rejectionMessage(error)}`);
    throw error;
  }
  record(sync, "Normal", "SuccessfulCreate", `Created job ${name}`);
}
