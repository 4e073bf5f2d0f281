import type { Pod } from "../kube/types.ts";
import { driverContainerOf, driverStatus } from "../masters/kubernetes/watch/driver-end.ts";
import { afterChange } from "../spark-application/state/decide.ts";
import { type ApplicationStatus, newStatus, type ObservedDriver } from "../spark-application/state/status.ts";
import { parseInstant } from "../values/instant.ts";
import type { AppliedApplication } from "./applied-application.ts";
import { driverRecord } from "./driver-record.ts";

/** Returns the status of an existing run; without one that of a new application. */
export function statusOfDriver(pod: Pod | undefined): ApplicationStatus {
  const record = pod === undefined ? undefined : driverRecord(pod);
  if (pod === undefined || record === undefined) return newStatus;
  const { submissionAttempts, executionAttempts } = record;
  const lastSubmissionMs = parseInstant(pod.metadata?.creationTimestamp);
  return { ...newStatus, state: "SUBMITTED", submissionAttempts, executionAttempts, lastSubmissionMs };
}

/** Returns the status of an application from the driver of its last run, which a changed application replaces. */
export function statusOfRun(pod: Pod | undefined, { digest }: Pick<AppliedApplication, "digest">): ApplicationStatus {
  const status = statusOfDriver(pod);
  const record = pod === undefined ? undefined : driverRecord(pod);
  return record === undefined || record.digest === digest ? status : afterChange(status);
}

/** Reads what decides about an application from its driver's pod. */
export function observe(pod: Pod | undefined): ObservedDriver | undefined {
  if (pod === undefined) return undefined;
  const terminated = driverStatus(pod, driverContainerOf(pod))?.state?.terminated;
  return {
    phase: pod.status?.phase ?? "Pending",
    terminated:
      terminated === undefined ? undefined : { exitCode: terminated.exitCode, reason: terminated.reason ?? "" },
    endedMs: parseInstant(terminated?.finishedAt) ?? lastTransitionMs(pod),
  };
}

/** Returns the time of the last change of a pod's conditions: that of the end of a pod without a container status. */
function lastTransitionMs({ status }: Pod): number | undefined {
  const times = (status?.conditions ?? []).flatMap(({ lastTransitionTime }) => parseInstant(lastTransitionTime) ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}
