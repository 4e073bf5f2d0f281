import { messageOf } from "../../errors/message-of.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { Applications, SubmitResult } from "../model/applications.ts";

/** Returns the applications with a log entry for each change that a client requests, whether it succeeds or not. */
export function auditApplications(applications: Applications, log: ServerLog): Applications {
  const audit = async <T>(
    entry: Readonly<Record<string, unknown>>,
    act: () => Promise<T>,
    resultOf: (value: T) => Readonly<Record<string, unknown>>,
  ): Promise<T> => {
    try {
      const value = await act();
      log("INFO", "audit", { ...entry, ...resultOf(value) });
      return value;
    } catch (error) {
      log("INFO", "audit", { ...entry, result: "failed", reason: messageOf(error) });
      throw error;
    }
  };
  const ofKey = (action: string, key: string, user: string | undefined) => ({ action, user, key });
  const unlessRefused = (isDone: boolean) => ({ result: isDone ? "accepted" : "refused" });
  return {
    ...applications,
    submit: (application) => {
      const { protocol, owner: user, proxyUser } = application;
      return audit({ action: "submit", user, proxyUser, protocol }, () => applications.submit(application), submitted);
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
