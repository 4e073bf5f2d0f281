import type { ServerLog } from "../../http/server-log.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications, SubmitResult } from "../model/applications.ts";
import type { ScheduleRecord } from "../model/schedules.ts";
import { printIssues } from "../submit/print-issues.ts";
import { runApplication } from "./run-application.ts";

/** Changes of the record of a schedule by a run. */
export type RunChanges = Pick<ScheduleRecord, "lastRun" | "problem">;

/**
 * Submits the run at a time of a schedule, or finds the one that an earlier call has submitted. A run that is rejected is left out.
 *
 * @throws Error if the gateway cannot accept applications now
 */
export async function startRun(
  { submit, log }: Pick<Applications, "submit"> & { readonly log: ServerLog },
  record: ScheduleRecord,
  scheduledMs: number,
): Promise<RunChanges> {
  const { namespace, name: schedule } = record;
  const run = runApplication(record, scheduledMs);
  const result: SubmitResult = run.ok ? await submit(run.value) : { kind: "rejected", issues: run.issues };
  switch (result.kind) {
    case "accepted":
    case "repeated":
      log("INFO", "A schedule has started a run.", { namespace, schedule, key: result.application.record.key });
      return startedRun(result.application, scheduledMs);
    case "rejected":
      log("WARN", "A run of a schedule is rejected.", {
        ...{ namespace, schedule },
        codes: result.issues.map(({ code }) => code),
      });
      return { problem: printIssues(result.issues) };
    case "conflict":
      return { problem: `Application ${result.id} has the same ${result.with}.` };
    case "limited":
    case "unavailable":
      throw new Error(result.reason);
  }
}

/** Returns the changes of the record of a schedule by a run that exists. */
export function startedRun({ record }: GatewayApplication, scheduledMs: number): RunChanges {
  const { key, name = "", acceptedMs: startedMs } = record;
  return { lastRun: { key, name, scheduledMs, startedMs }, problem: undefined };
}
