import type { ServerLog } from "../../http/server-log.ts";
import type { Applications, SubmitResult } from "../model/applications.ts";
import { auditor } from "./auditor.ts";

/** Returns the applications with a log entry for each change that a client requests, whether it succeeds or not. */
export function auditApplications(applications: Applications, log: ServerLog): Applications {
  const audit = auditor(log);
  const ofKey = (action: string, key: string, user: string | undefined) => ({ action, user, key });
  const unlessRefused = (isDone: boolean) => ({ result: isDone ? "accepted" : "refused" });
  return {
    ...applications,
    submit: (application) => {
      const { protocol, owner: user, proxyUser, schedule } = application;
      const entry = { action: "submit", user, proxyUser, protocol, ...(schedule && { schedule: schedule.name }) };
      return audit(entry, () => applications.submit(application), submitted);
    },
    kill: (key, by) => audit(ofKey("kill", key, by), () => applications.kill(key, by), unlessRefused),
    remove: (key, by) =>
      audit(
        ofKey("remove", key, by),
        () => applications.remove(key, by),
        () => ({ result: "accepted" }),
      ),
    retry: (key, by) => audit(ofKey("retry", key, by), () => applications.retry(key, by), unlessRefused),
  };
}

/** Returns what the log says about a submission: messages can contain values of settings, so it has only their codes. */
function submitted(result: SubmitResult): Readonly<Record<string, unknown>> {
  switch (result.kind) {
    case "accepted":
    case "repeated":
      return { key: result.application.record.key, result: result.kind };
    case "rejected":
      return { result: result.kind, codes: result.issues.map(({ code }) => code) };
    case "conflict":
    case "limited":
    case "unavailable":
      return { result: result.kind };
  }
}
