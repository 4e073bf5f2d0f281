import { deleteDriver, deleteEndedDriver } from "./delete-driver.ts";
import { newEntry } from "./entry.ts";
import { finish, missingEnd, removeRecord } from "./finish.ts";
import { nextAttempt, replaceEntry } from "./next-attempt.ts";
import { type ApplicationsScope, change } from "./scope.ts";

/** Stores the request to kill an application, and deletes its driver. Returns false if it has ended. @throws SubmitError */
export async function kill(scope: ApplicationsScope, key: string, by: string | undefined): Promise<boolean> {
  const entry = scope.index.get(key);
  if (entry === undefined || entry.end !== undefined) return false;
  const atMs = scope.host.clock.now();
  if (entry.record.killed === undefined) await change(scope, entry, { killed: { by, atMs } });
  if (entry.phase === "waiting") await finish(scope, entry, missingEnd(entry, atMs), undefined);
  // A submission that runs deletes its driver when it sees the request.
  else if (entry.driver !== undefined) await deleteDriver(scope, entry);
  return true;
}

/** Hides an application, kills it, and removes its record when its driver is deleted. @throws SubmitError if it is not removed */
export async function remove(scope: ApplicationsScope, key: string, by: string | undefined): Promise<void> {
  const entry = scope.index.get(key);
  if (entry === undefined) return;
  if (entry.end === undefined) {
    const killed = entry.record.killed ?? { by, atMs: scope.host.clock.now() };
    await change(scope, entry, { killed, isRemoved: true });
    scope.index.forget(entry);
    await kill(scope, key, by);
  } else {
    // Otherwise, a schedule would leave any number of pods.
    if (entry.record.schedule !== undefined) await deleteEndedDriver(scope, entry);
    await removeRecord(scope, entry);
  }
  for (const listener of scope.listeners) listener(key, undefined);
}

/** Submits an application that has ended again, as a new attempt. Returns false if it has not ended. @throws SubmitError */
export async function retry(scope: ApplicationsScope, key: string): Promise<boolean> {
  const entry = scope.index.get(key);
  if (entry?.record.end === undefined) return false;
  const next = newEntry(nextAttempt(entry.record, { notBeforeMs: scope.host.clock.now() }));
  await change(scope, next, {});
  replaceEntry(scope, next);
  scope.dispatcher.add(next);
  return true;
}
