import { messageOf } from "../../errors/message-of.ts";
import { deleteEndedDriver } from "./delete-driver.ts";
import type { Entry } from "./entry.ts";
import { removeRecord } from "./finish.ts";
import { isTimeOver } from "./restart.ts";
import type { ApplicationsScope } from "./scope.ts";

/** Limits of the applications that have ended. */
export interface Retention {
  /** Time after the end of applications without a time to live. One whose driver pod still exists is kept longer. */
  readonly keepMs: number;
  /** Number of applications, beyond which those that ended first are removed, even if their driver pods exist. */
  readonly maxEnded: number;
}

const checkIntervalMs = 10_000;

/** Removes applications that ended long ago, every 10 s, until the gateway stops. */
export function startRetention(scope: ApplicationsScope, retention: Retention): void {
  void repeat(scope, retention);
}

async function repeat(scope: ApplicationsScope, retention: Retention): Promise<void> {
  const { ending, host, index, listeners, log } = scope;
  while (!ending.aborted) {
    for (const entry of expiredEntries(index.all(), retention, host.clock.now())) {
      const { key } = entry.record;
      try {
        await removeExpired(scope, entry);
        for (const listener of listeners) listener(key, undefined);
      } catch (error) {
        log("WARN", "An application cannot be removed, and is removed again.", { key, reason: messageOf(error) });
      }
    }
    await host.clock.sleep(checkIntervalMs, { signal: ending, background: true });
  }
}

/** Removes an application with its record; with its driver, too, if nothing else removes that. @throws SubmitError */
async function removeExpired(scope: ApplicationsScope, entry: Entry): Promise<void> {
  const { lifetime, schedule } = entry.record;
  const ownsPod = lifetime?.timeToLiveSeconds !== undefined || schedule !== undefined;
  if (ownsPod) await deleteEndedDriver(scope, entry);
  await removeRecord(scope, entry);
}

/** Returns the applications to remove. One whose end is not stored yet, or that is removed already, is not among them. */
export function expiredEntries(
  entries: Iterable<Entry>,
  { keepMs, maxEnded }: Retention,
  nowMs: number,
): readonly Entry[] {
  const ended = [...entries].filter(({ record }) => record.end !== undefined && record.isRemoved !== true);
  const byEnd = ended.sort((a, b) => endMs(a) - endMs(b));
  const excess = Math.max(0, byEnd.length - maxEnded);
  const isExpired = (entry: Entry) =>
    entry.record.lifetime?.timeToLiveSeconds === undefined
      ? !entry.hasPod && endMs(entry) + keepMs <= nowMs
      : isTimeOver(entry.record, endMs(entry), nowMs);
  return byEnd.filter((entry, index) => index < excess || isExpired(entry));
}

/** Returns the time of an end. The clock of a node can be wrong: an application does not end before it is accepted. */
function endMs({ record }: Entry): number {
  return Math.max(record.end?.atMs ?? 0, record.acceptedMs);
}
