import type { NextTime } from "../cron/zoned-schedule.ts";
import { issuesOf } from "../errors/issue.ts";
import { orThrow, throwIssues } from "../errors/submit-error.ts";
import { nameIssues } from "../spark-application/admission.ts";
import type { ScheduledSparkApplication } from "../spark-application/application.ts";
import { checkReservedKeys, type ReservedKeys } from "../spark-application/reserved-keys.ts";
import { scheduleTimes } from "../spark-application/schedule/schedule-times.ts";

/** A checked schedule. */
export interface LoadedSchedule {
  readonly schedule: ScheduledSparkApplication;
  readonly namespace: string;
  readonly next: NextTime;
  readonly warnings: readonly string[];
}

/** Maximum length of a schedule's name: its runs add a dash and the time in nanoseconds. */
const maxNameLength = 43;

/** Checks a schedule as the operator's webhook and controller do. @throws SUBMIT_ERR_MANIFEST_…: all problems together */
export function loadSchedule(
  file: string,
  schedule: ScheduledSparkApplication,
  {
    reservedKeys,
    namespace: defaultNamespace = "default",
  }: { reservedKeys: ReservedKeys; namespace?: string | undefined },
): LoadedSchedule {
  const { metadata, spec } = schedule;
  const namespace = metadata.namespace || defaultNamespace;
  const { issues, tolerated } = checkReservedKeys(spec.template, { file, namespace, reservedKeys });
  const next = scheduleTimes(file, spec);
  throwIssues([...nameIssues(metadata.name, { file }), ...issues, ...issuesOf(next)]);
  return { schedule, namespace, next: orThrow(next), warnings: [...tolerated, ...nameWarnings(file, metadata.name)] };
}

function nameWarnings(file: string, { length }: string): readonly string[] {
  if (length <= maxNameLength) return [];
  return [
    `${file}: metadata.name has ${length} characters; the Spark operator rejects the runs of a schedule whose name has more than ${maxNameLength}.`,
  ];
}
