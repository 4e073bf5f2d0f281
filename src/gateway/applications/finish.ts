import { messageOf } from "../../errors/submit-error.ts";
import type { Pod } from "../../kube/types.ts";
import type { EndedLog } from "../logs/driver-logs.ts";
import type { ApplicationEnd, ApplicationRecord } from "../model/application.ts";
import { deleteDriver } from "./delete-driver.ts";
import { type Entry, newEntry, toApplication } from "./entry.ts";
import { readEndedLog, storeLog } from "./keep-log.ts";
import { nextAttempt, replaceEntry } from "./next-attempt.ts";
import { countAttempt, restartDelayMs } from "./restart.ts";
import { nextAttemptDelayMs } from "./retry-policy.ts";
import { type ApplicationsScope, changeSurely, report } from "./scope.ts";
import { traceEnd } from "./trace-attempt.ts";

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
  const failed = { ...end, isDisrupted: entry.isDisrupted };
  const retryMs = isRetried ? nextAttemptDelayMs(scope.retries, entry.record.attempt, failed) : undefined;
  if (retryMs !== undefined) return repeat(scope, entry, { end, delayMs: retryMs, counted: entry.record.counted });
  const nowMs = scope.host.clock.now();
  const delayMs = restartDelayMs(entry.record, end, { submittedMs: entry.driver?.createdMs ?? nowMs, nowMs });
  if (delayMs !== undefined) {
    await repeat(scope, entry, { end, delayMs, counted: countAttempt(entry.record, end) });
    // Otherwise, a restart policy would leave any number of pods.
    if (pod !== undefined) await deleteDriver(scope, entry);
    return;
  }
  entry.end = end;
  entry.isRunning = false;
  // Stored with the end. Until then, it keeps the record if a client removes the application.
  const undelivered = scope.receivers.namesFor(end.state);
  entry.record = { ...entry.record, undelivered };
  scope.dispatcher.ended(entry);
  report(scope, entry);
  if (entry.record.isRemoved === true && undelivered.length === 0) {
    traceEnd(scope, entry, end);
    return removeHidden(scope, entry);
  }
  const explanation = completeEnd(scope, entry, end, pod);
  entry.explanation = explanation.then(() => {});
  const log = await explanation;
  if (await changeSurely(scope, entry, { end: entry.end })) traceEnd(scope, entry, end);
  report(scope, entry);
  void deliverEnd(scope, entry);
  if (log !== undefined) await storeLog(scope, entry, log);
}

/** Delivers an end that is stored to the receivers that must still get it. */
export async function deliverEnd(scope: ApplicationsScope, entry: Entry): Promise<void> {
  const { undelivered = [] } = entry.record;
  if (undelivered.length === 0) return;
  const deliver = async (name: string) => {
    if (!(await scope.receivers.deliver(name, toApplication(entry)))) return;
    await changeSurely(scope, entry, { undelivered: entry.record.undelivered?.filter((other) => other !== name) });
  };
  await Promise.all(undelivered.map(deliver));
  const isDelivered = entry.record.undelivered?.length === 0;
  if (isDelivered && entry.record.isRemoved === true) await removeHidden(scope, entry);
}

/** Removes an application that a client has removed already. */
async function removeHidden(scope: ApplicationsScope, entry: Entry): Promise<void> {
  try {
    await removeRecord(scope, entry);
  } catch (error) {
    // `startRetention` repeats it.
    const { key } = entry.record;
    scope.log("WARN", "An application cannot be removed, and is removed again.", { key, reason: messageOf(error) });
  }
}

/** Submits an application again after a delay. Its end is not reported: clients take it for the last state. */
async function repeat(
  scope: ApplicationsScope,
  entry: Entry,
  {
    end,
    delayMs,
    counted,
  }: Pick<ApplicationRecord, "counted"> & { readonly end: ApplicationEnd; readonly delayMs: number },
): Promise<void> {
  const { key, attempt } = entry.record;
  scope.log("INFO", "An application is submitted again.", { key, attempt, reason: end.reason, delayMs });
  // Further events of this attempt change nothing.
  entry.end = end;
  scope.dispatcher.ended(entry);
  const notBeforeMs = scope.host.clock.now() + delayMs;
  const next = newEntry(nextAttempt(entry.record, { notBeforeMs, counted }));
  replaceEntry(scope, next);
  // The driver of an attempt that is not stored would be unknown after a restart.
  if (await changeSurely(scope, next, {})) traceEnd(scope, entry, end);
  if (next.end === undefined) scope.dispatcher.add(next);
}

/** Dependencies of the removal of a record. */
export type RemovalScope = Pick<
  ApplicationsScope,
  "store" | "changes" | "log" | "host" | "ending" | "index" | "logs" | "removedPods"
>;

/**
 * Removes the record of an application that has ended, and its kept logs. Before its end is delivered, hides it only.
 *
 * @throws SubmitError if the record is left
 */
export async function removeRecord(scope: RemovalScope, entry: Entry): Promise<void> {
  const { store, logs, index } = scope;
  const { key, undelivered = [], isRemoved } = entry.record;
  if (undelivered.length > 0) {
    index.forget(entry);
    if (isRemoved !== true) await changeSurely(scope, entry, { isRemoved: true });
    return;
  }
  await store.remove(key);
  index.remove(entry);
  if (entry.canHaveDriver && entry.driver === undefined) scope.removedPods.add(entry.record);
  // A store that does not respond delays nothing.
  void logs.remove(entry.record);
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
