import { driverLabels } from "../../conf/entries/driver.ts";
import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { type Result, success } from "../../errors/issue.ts";
import type { SparkApplication } from "../../spark-application/application.ts";
import type { OwnApplication } from "../../spark-application/own/own-application.ts";
import { runName } from "../../spark-application/schedule/decide-run.ts";
import type { NewApplication } from "../model/applications.ts";
import type { ScheduleRecord } from "../model/schedules.ts";
import { toSubmission } from "../submit/to-submission.ts";

/** Label of the driver of a run with the name of its schedule. Source: Kubeflow Spark operator 2.5.2. */
const scheduleLabel = "sparkoperator.k8s.io/scheduled-app-name";

/**
 * Builds the application of the run at a time of a schedule. It is the same for each call, so that a run whose submission is repeated is
 * found by its idempotency key. The operator names runs by the time of their creation, which a repetition does not know.
 *
 * @param scheduledMs in ms since 1970
 */
export function runApplication(record: ScheduleRecord, scheduledMs: number): Result<NewApplication> {
  const { uid, namespace, owner, ownerGroups, queue, priority } = record;
  const read = toSubmission(withName(record.application, runName(record.name, scheduledMs)));
  if (!read.ok) return read;
  const { name, submission, lifetime } = read.value;
  const settings = {
    ...submission.settings,
    [namespaceEntry.key]: namespace,
    [`${driverLabels.prefix}${scheduleLabel}`]: record.name,
  };
  return success({
    ...{ protocol: "api", name, owner, ownerGroups, queue, priority, lifetime },
    submission: { ...submission, settings },
    schedule: { uid, name: record.name, scheduledMs },
    idempotencyKey: `schedule/${uid}/${scheduledMs}`,
  });
}

function withName(application: SparkApplication | OwnApplication, name: string): SparkApplication | OwnApplication {
  if (!("kind" in application)) return { ...application, name };
  return { ...application, metadata: { ...application.metadata, name } };
}
