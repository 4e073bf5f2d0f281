import { messageOf } from "../../errors/message-of.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { SubmitResult } from "../model/applications.ts";
import type { ScheduleRecord } from "../model/schedules.ts";
import { printIssues } from "../submit/print-issues.ts";
import type { StartedSpan } from "../tracing/tracing.ts";
import type { DueRun } from "./decide-schedule.ts";
import { runApplication } from "./run-application.ts";
import type { SchedulesScope } from "./scope.ts";

/** Changes of the record of a schedule by a run. */
export type RunChanges = Pick<ScheduleRecord, "lastRun" | "problem">;

type StartScope = Pick<SchedulesScope, "host" | "log" | "applications" | "check" | "tracing">;

/**
 * Submits the run at a time of a schedule, or finds the one that an earlier call has submitted. A run that is rejected is left out, and
 * replaces no other one.
 *
 * @throws Error if the gateway cannot accept applications now
 */
export async function startRun(scope: StartScope, record: ScheduleRecord, due: DueRun): Promise<RunChanges> {
  const { log, host, tracing } = scope;
  const { namespace, name: schedule } = record;
  const span = tracing.start({
    ...{ name: "start scheduled run", kind: "internal", startMs: host.clock.now() },
    attributes: { "firesteel.schedule.name": schedule, "k8s.namespace.name": namespace },
  });
  const end = (failure?: string) => span.end({ endMs: host.clock.now(), failure });
  let result: SubmitResult;
  try {
    result = await submitRun(scope, { record, due, span });
  } catch (error) {
    end("Unavailable");
    throw new Error(`The run cannot be started now: ${messageOf(error)}`, { cause: error });
  }
  switch (result.kind) {
    case "accepted":
    case "repeated": {
      const { application } = result;
      end();
      log("INFO", "A schedule has started a run.", { namespace, schedule, key: application.record.key });
      return startedRun(application, due.scheduledMs);
    }
    case "rejected": {
      end("Rejected");
      const codes = result.issues.map(({ code }) => code);
      log("WARN", "A run of a schedule is rejected.", { namespace, schedule, codes });
      return { problem: printIssues(result.issues) };
    }
    case "conflict":
      end("Conflict");
      return { problem: `Application ${result.id} has the same ${result.with}.` };
    case "limited":
    case "unavailable":
      end("Unavailable");
      throw new Error(`The run cannot be started now: ${result.reason}`);
  }
}

interface RunCall {
  readonly record: ScheduleRecord;
  readonly due: DueRun;
  readonly span: StartedSpan;
}

async function submitRun(
  { applications, check, log }: StartScope,
  { record, due: { scheduledMs, replaced }, span: { traceparent } }: RunCall,
): Promise<SubmitResult> {
  const { namespace, name: schedule } = record;
  const run = runApplication(record, scheduledMs);
  if (!run.ok) return { kind: "rejected", issues: run.issues };
  if (replaced.length > 0) {
    const issues = await check(run.value);
    if (issues.length > 0) return { kind: "rejected", issues };
  }
  for (const key of replaced) {
    log("INFO", "A schedule kills its last run, which the next one replaces.", { namespace, schedule, key });
    await applications.kill(key, `schedule ${schedule}`);
  }
  return applications.submit({ ...run.value, traceparent });
}

/** Returns the changes of the record of a schedule by a run that exists. */
export function startedRun({ record }: GatewayApplication, scheduledMs: number): RunChanges {
  const { key, name = "", acceptedMs: startedMs } = record;
  return { lastRun: { key, name, scheduledMs, startedMs }, problem: undefined };
}
