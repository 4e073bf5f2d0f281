import type { ServerLog } from "../../http/server-log.ts";
import type { CreateScheduleResult, ScheduleName, Schedules } from "../model/schedules.ts";
import { auditor } from "./auditor.ts";

/** Returns the schedules with a log entry for each change that a client requests, whether it succeeds or not. */
export function auditSchedules(schedules: Schedules, log: ServerLog): Schedules {
  const audit = auditor(log);
  const ofSchedule = (action: string, { namespace, name: schedule }: ScheduleName, user: string | undefined) => {
    return { action, user, namespace, schedule };
  };
  return {
    ...schedules,
    create: (schedule) =>
      audit(ofSchedule("schedule", schedule, schedule.owner), () => schedules.create(schedule), created),
    setSuspended: (name, isSuspended, by) => {
      const action = isSuspended ? "suspend" : "resume";
      const change = () => schedules.setSuspended(name, isSuspended, by);
      return audit(ofSchedule(action, name, by.user), change, () => ({ result: "accepted" }));
    },
    remove: (name, by) => {
      const resultOf = (isKnown: boolean) => ({ result: isKnown ? "accepted" : "refused" });
      return audit(ofSchedule("remove", name, by), () => schedules.remove(name, by), resultOf);
    },
  };
}

/** Returns what the log says about a creation: messages can contain values of settings, so it has only their codes. */
function created(result: CreateScheduleResult): Readonly<Record<string, unknown>> {
  if (result.kind !== "rejected") return { result: result.kind };
  return { result: result.kind, codes: result.issues.map(({ code }) => code) };
}
