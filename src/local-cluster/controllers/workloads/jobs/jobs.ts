import type { ApiScope } from "../../../api/call.ts";
import { type Controller, deleteObject, dropFinalizer, findByKey, keyOf } from "../../controller.ts";
import { controllerOf, isTerminating, ownObjects, podSetController } from "../pods.ts";
import type { FailureRecord } from "./back-off.ts";
import { isJob, isManagedByOther, isTracked, type JobObject, outcomeOf, tracking } from "./job-object.ts";
import { syncJob } from "./job-sync.ts";

/**
 * Runs the pods of jobs until enough have succeeded or too many have failed.
 *
 * Source: Kubernetes 1.35, job controller and TTL-after-finished controller.
 */
export const startJobs: Controller = (api) => {
  const records = new Map<string, FailureRecord & { readonly uid: string }>();
  return podSetController<JobObject>({
    collection: "jobs.batch",
    kind: "Job",
    dependents: "pods",
    isOwn: isJob,
    reconcile(_api, job, requeue) {
      const { uid } = job.metadata;
      if (outcomeOf(job) !== undefined) {
        records.delete(keyOf(job));
        endLater(api, job, requeue);
      } else if (!isManagedByOther(job)) {
        const known = records.get(keyOf(job));
        const failures = known?.uid === uid ? known : { count: 0, lastMs: 0 };
        records.set(keyOf(job), { ...syncJob(api, job, { failures, requeue }), uid });
      }
    },
    release(_api, key) {
      records.delete(key);
      releaseOrphans(api, key.split("/")[0] ?? "");
    },
  })(api);
};

/** Releases the pods of a finished job, and deletes the job after `ttlSecondsAfterFinished`. */
function endLater(api: ApiScope, job: JobObject, requeue: (delayMs: number) => void): void {
  if (!isManagedByOther(job))
    for (const pod of ownObjects(api.store, "pods", job)) dropFinalizer(api, "pods", pod, tracking);
  const ended = outcomeOf(job)?.lastTransitionTime;
  const { ttlSecondsAfterFinished } = job.spec;
  if (isTerminating(job) || ttlSecondsAfterFinished === undefined || ended === undefined) return;
  const left = Date.parse(ended) + ttlSecondsAfterFinished * 1000 - api.clock.now();
  if (left > 0) requeue(left);
  else deleteObject(api, "jobs.batch", job, "Foreground");
}

/** Releases the pods whose job no longer exists, so they can be deleted. */
function releaseOrphans(api: ApiScope, namespace: string): void {
  for (const pod of api.store.list("pods", namespace)) {
    const owner = controllerOf(pod);
    if (!isTracked(pod) || (owner !== undefined && owner.kind !== "Job")) continue;
    const job = owner && findByKey(api.store, "jobs.batch", `${namespace}/${owner.name}`);
    if (job === undefined || job.metadata.uid !== owner?.uid) dropFinalizer(api, "pods", pod, tracking);
  }
}
