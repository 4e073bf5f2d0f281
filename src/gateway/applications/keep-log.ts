import { messageOf } from "../../errors/submit-error.ts";
import type { EndedLog } from "../logs/driver-logs.ts";
import type { LogState } from "../model/application.ts";
import type { Entry } from "./entry.ts";
import { type ApplicationsScope, changeSurely, report } from "./scope.ts";

/** Reads the log of a driver that has ended; `undefined` if there is none or it cannot be read. */
export async function readEndedLog(
  { logs, log }: ApplicationsScope,
  entry: Entry,
  hasPod: boolean,
): Promise<EndedLog | undefined> {
  const { record, driver } = entry;
  entry.isLogTried = true;
  try {
    return await logs.readEnded(record, hasPod ? driver?.container : undefined);
  } catch (error) {
    log("WARN", "The log of a driver cannot be read.", { key: record.key, reason: messageOf(error) });
    return undefined;
  }
}

/** Stores the complete log of a driver, and the result in the record. */
export async function storeLog(scope: ApplicationsScope, entry: Entry, { store }: EndedLog): Promise<void> {
  if (store === undefined) return;
  const reason = await store();
  // Removed while its log was stored.
  if (scope.index.get(entry.record.key) === undefined) return scope.logs.remove(entry.record);
  await changeLog(scope, entry, reason === undefined ? { state: "kept" } : { state: "failed", reason });
}

/** Keeps the log of a driver that an earlier process has not kept, if its pod still exists. */
export async function keepLogAgain(scope: ApplicationsScope, entry: Entry): Promise<void> {
  const { end } = entry.record;
  if (entry.isLogTried || end?.log === undefined || end.log.state === "kept") return;
  const log = await readEndedLog(scope, entry, true);
  if (log !== undefined) await storeLog(scope, entry, log);
}

/** Marks a log as lost that an earlier process was about to keep, because its pod does not exist any more. */
export async function abandonLog(scope: ApplicationsScope, entry: Entry): Promise<void> {
  if (entry.record.end?.log?.state !== "pending" || entry.isLogTried) return;
  await changeLog(scope, entry, { state: "failed", reason: "The gateway ended before it kept the log." });
}

async function changeLog(scope: ApplicationsScope, entry: Entry, log: LogState): Promise<void> {
  const { end } = entry.record;
  if (end === undefined) return;
  entry.end = { ...end, log };
  await changeSurely(scope, entry, { end: entry.end });
  report(scope, entry);
}
