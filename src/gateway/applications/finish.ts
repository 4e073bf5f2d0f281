import { messageOf } from "../../errors/submit-error.ts";
import type { Pod } from "../../kube/types.ts";
import type { ApplicationEnd } from "../model/application.ts";
import { type Entry, newEntry } from "./entry.ts";
import { enterAttempt, nextAttempt } from "./next-attempt.ts";
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
  entry.explanation = completeEnd(scope, entry, end, pod);
  await entry.explanation;
  await changeSurely(scope, entry, { end: entry.end });
  report(scope, entry);
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
  enterAttempt(scope, next);
  await changeSurely(scope, next, {});
}

/** Removes the record of an application that has ended. */
export async function removeRecord({ store, index, log }: ApplicationsScope, entry: Entry): Promise<void> {
  const { key } = entry.record;
  index.remove(entry);
  // A record that is left says that it is removed, and is removed at the next start.
  await store.remove(key).catch((error: unknown) => {
    log("WARN", "A record cannot be removed.", { key, reason: messageOf(error) });
  });
}

async function completeEnd(
  scope: ApplicationsScope,
  entry: Entry,
  end: ApplicationEnd,
  pod: Pod | undefined,
): Promise<void> {
  const explained = pod === undefined ? end : await explain(scope, entry, end, pod);
  const { submissionLog } = entry;
  entry.end = { ...explained, ...(submissionLog.length > 0 && { submissionLog }) };
  entry.isExplained = true;
}

/** Keeps the log of a driver, and adds what only its pod shows. Neither may prevent that the end is stored. */
async function explain(
  { logs, diagnose, log }: ApplicationsScope,
  { record }: Entry,
  end: ApplicationEnd,
  pod: Pod,
): Promise<ApplicationEnd> {
  const kept = logs.keep(record, pod).catch((error: unknown) => {
    log("WARN", "The log of a driver cannot be kept.", { key: record.key, reason: messageOf(error) });
    return undefined;
  });
  const explained = end.state === "failed" ? diagnose(pod).catch(() => undefined) : undefined;
  const [logTail, message] = [await kept, await explained];
  return { ...end, message: message ?? end.message, ...(logTail !== undefined && { logTail }) };
}

/** Returns the end of an application whose driver does not exist. */
export function missingEnd({ record, driver, isRunning }: Entry, atMs: number): ApplicationEnd {
  const hasStarted = isRunning || driver?.startedMs !== undefined;
  if (record.killed !== undefined) return { state: "killed", atMs, reason: "Killed", hasStarted };
  const message = "The driver's pod was deleted before it ended, not through this gateway.";
  return { state: "failed", atMs, reason: "Deleted", message, hasStarted };
}
