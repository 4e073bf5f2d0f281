import { messageOf } from "../../errors/submit-error.ts";
import type { Pod } from "../../kube/types.ts";
import type { EndedLog } from "../logs/driver-logs.ts";
import type { ApplicationEnd } from "../model/application.ts";
import { type Entry, newEntry } from "./entry.ts";
import { readEndedLog, storeLog } from "./keep-log.ts";
import { nextAttempt, replaceEntry } from "./next-attempt.ts";
import { nextAttemptDelayMs } from "./retry-policy.ts";
import { type ApplicationsScope, changeSurely, report } from "./scope.ts";

/**
 * Ends an application: its state changes at once, and is stored when its log is kept and its failure explained.
 *
 * @param pod the driver's pod, if it exists
 */
export async function finish(
  scope: ApplicationsScope,
  entry: Entry,
  end: ApplicationEnd,
  pod: Pod | undefined,
): Promise<void> {
  if (entry.end !== undefined) return;
  // The operator decides about its applications, and looks for the pod that it named.
  const isRetried = entry.record.protocol !== "submitter";
  const delayMs = isRetried ? nextAttemptDelayMs(scope.retries, entry.record.attempt, end, pod) : undefined;
  if (delayMs !== undefined) return repeat(scope, entry, { end, delayMs });
  entry.end = end;
  entry.isRunning = false;
  scope.dispatcher.ended(entry);
  report(scope, entry);
  if (entry.record.isRemoved === true) return removeRecord(scope, entry);
  const explanation = completeEnd(scope, entry, end, pod);
  entry.explanation = explanation.then(() => {});
  const log = await explanation;
  await changeSurely(scope, entry, { end: entry.end });
  report(scope, entry);
  if (log !== undefined) await storeLog(scope, entry, log);
}

/** Submits an application again after a delay. Its end is not reported: clients take it for the last state. */
async function repeat(
  scope: ApplicationsScope,
  entry: Entry,
  { end, delayMs }: { readonly end: ApplicationEnd; readonly delayMs: number },
): Promise<void> {
  const { key, attempt } = entry.record;
  scope.log("WARN", "An application failed, and is submitted again.", { key, attempt, reason: end.reason, delayMs });
  // Further events of this attempt change nothing.
  entry.end = end;
  scope.dispatcher.ended(entry);
  const next = newEntry(nextAttempt(entry.record, scope.host.clock.now() + delayMs));
  replaceEntry(scope, next);
  // The driver of an attempt that is not stored would be unknown after a restart.
  await changeSurely(scope, next, {});
  if (next.end === undefined) scope.dispatcher.add(next);
}

/** Removes the record of an application that has ended, and its kept logs. */
export async function removeRecord({ store, logs, index, log }: ApplicationsScope, entry: Entry): Promise<void> {
  const { key } = entry.record;
  index.remove(entry);
  // A store that does not respond delays nothing.
  void logs.remove(entry.record);
  // A record that is left says that it is removed, and is removed at the next start.
  await store.remove(key).catch((error: unknown) => {
    log("WARN", "A record cannot be removed.", { key, reason: messageOf(error) });
  });
}

/** Adds to an end what only the driver's pod shows. Neither its log nor its diagnosis may prevent that the end is stored. */
async function completeEnd(
  scope: ApplicationsScope,
  entry: Entry,
  end: ApplicationEnd,
  pod: Pod | undefined,
): Promise<EndedLog | undefined> {
  const reading = readEndedLog(scope, entry, pod !== undefined);
  const isDiagnosed = end.state === "failed" && pod !== undefined;
  const message = isDiagnosed ? await scope.diagnose(pod).catch(() => undefined) : undefined;
  const log = await reading;
  const { submissionLog } = entry;
  entry.end = {
    ...{ ...end, message: message ?? end.message },
    ...(log !== undefined && { logTail: log.tail.lines, logLines: log.tail.total }),
    ...(log?.store !== undefined && { log: { state: "pending" } as const }),
    ...(submissionLog.length > 0 && { submissionLog }),
  };
  entry.isExplained = true;
  return log;
}

/** Returns the end of an application whose driver does not exist. */
export function missingEnd({ record, driver, isRunning }: Entry, atMs: number): ApplicationEnd {
  const hasStarted = isRunning || driver?.startedMs !== undefined;
  if (record.killed !== undefined) return { state: "killed", atMs, reason: "Killed", hasStarted };
  const message = "The driver's pod was deleted before it ended, not through this gateway.";
  return { state: "failed", atMs, reason: "Deleted", message, hasStarted };
}
