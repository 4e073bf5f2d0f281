import { isSubmitError, messageOf } from "../../errors/submit-error.ts";
import { limitLog } from "../../http/server-log.ts";
import { isTransient } from "../../kube/is-transient.ts";
import { deleteEndedDriver } from "./delete-driver.ts";
import type { Entry } from "./entry.ts";
import { type RemovalScope, removeRecord } from "./finish.ts";
import { isTimeOver } from "./restart.ts";
import type { ApplicationsScope } from "./scope.ts";

/** Limits of the applications that have ended. */
export interface Retention {
  /** Time after the end of applications without a time to live. One whose driver pod still exists is kept longer. */
  readonly keepMs: number;
  /** Number of applications, beyond which those that ended first are removed, even if their driver pods exist. */
  readonly maxEnded: number;
}

type RetentionScope = RemovalScope & Pick<ApplicationsScope, "client" | "listeners">;

const checkIntervalMs = 10_000;

/**
 * Removes applications that ended long ago, and those whose removal by a client is incomplete, every 10 s, until the gateway stops.
 */
export function startRetention(scope: RetentionScope, retention: Retention): void {
  void repeat({ ...scope, log: limitLog(scope.log, scope.host.clock) }, retention);
}

async function repeat(scope: RetentionScope, retention: Retention): Promise<void> {
  const { ending, host, index } = scope;
  let failed: Entry | undefined;
  while (!ending.aborted) {
    const expired = expiredEntries(index.all(), retention, host.clock.now());
    // After the one that failed, so that one that cannot be removed does not delay the others.
    const first = failed === undefined ? 0 : expired.indexOf(failed) + 1;
    failed = await removeUntilFailure(scope, [...expired.slice(first), ...expired.slice(0, first)]);
    await host.clock.sleep(checkIntervalMs, { signal: ending, background: true });
  }
}

/** Removes applications up to one for which the API is not available: it would not be for the next one, too. Returns that one. */
async function removeUntilFailure(scope: RetentionScope, entries: readonly Entry[]): Promise<Entry | undefined> {
  for (const entry of entries) {
    const { key, isRemoved } = entry.record;
    try {
      await removeExpired(scope, entry);
      if (isRemoved !== true) for (const listener of scope.listeners) listener(key, undefined);
    } catch (error) {
      scope.log("WARN", "An application cannot be removed, and is removed again.", { key, reason: messageOf(error) });
      if (isSubmitError(error) && isTransient(error)) return entry;
    }
  }
  return undefined;
}

/** Removes an application with its record; with its driver, too, if nothing else removes that. @throws SubmitError */
async function removeExpired(scope: RetentionScope, entry: Entry): Promise<void> {
  const { lifetime, schedule } = entry.record;
  const ownsPod = lifetime?.timeToLiveSeconds !== undefined || schedule !== undefined;
  if (ownsPod) await deleteEndedDriver(scope, entry);
  await removeRecord(scope, entry);
}

/** Returns the applications to remove. One whose end must still be stored or delivered is not among them. */
export function expiredEntries(
  entries: Iterable<Entry>,
  { keepMs, maxEnded }: Retention,
  nowMs: number,
): readonly Entry[] {
  const all = [...entries];
  const removed = all.filter(isRemovalIncomplete);
  const ended = all.filter(({ record }) => record.end !== undefined && record.isRemoved !== true);
  const byEnd = ended.sort((a, b) => endMs(a) - endMs(b));
  const excess = Math.max(0, byEnd.length - maxEnded);
  const isExpired = (entry: Entry) =>
    entry.record.lifetime?.timeToLiveSeconds === undefined
      ? !entry.hasPod && endMs(entry) + keepMs <= nowMs
      : isTimeOver(entry.record, endMs(entry), nowMs);
  return [...removed, ...byEnd.filter((entry, index) => index < excess || isExpired(entry))];
}

/** Returns whether a client has removed an application that has ended, and nothing else keeps its record. */
function isRemovalIncomplete({ record: { isRemoved, undelivered = [] }, end }: Entry): boolean {
  return isRemoved === true && end !== undefined && undelivered.length === 0;
}

/** Returns the time of an end. The clock of a node can be wrong: an application does not end before it is accepted. */
function endMs({ record }: Entry): number {
  return Math.max(record.end?.atMs ?? 0, record.acceptedMs);
}
