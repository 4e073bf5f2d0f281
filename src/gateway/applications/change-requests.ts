import { messageOf } from "../../errors/message-of.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { backoff } from "../../net/backoff.ts";
import { type Entry, newEntry } from "./entry.ts";
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

/** Deletes the driver of an application. Its objects and executors belong to it. Repeats a failed deletion in the background. */
export async function deleteDriver(scope: ApplicationsScope, entry: Entry): Promise<void> {
  if (await isDriverDeleted(scope, entry)) return;
  void repeatDeletion(scope, entry);
}

async function repeatDeletion(scope: ApplicationsScope, entry: Entry): Promise<void> {
  const { host, ending } = scope;
  const { wait } = backoff(host.clock, host.random);
  do await wait(ending);
  while (!ending.aborted && entry.end === undefined && !(await isDriverDeleted(scope, entry)));
}

async function isDriverDeleted({ client, log }: ApplicationsScope, { record, driver }: Entry): Promise<boolean> {
  const { key, namespace, podName: name } = record;
  try {
    await client.delete({ type: resourceTypes.pod, namespace, name, ...(driver !== undefined && { uid: driver.uid }) });
    return true;
  } catch (error) {
    log("WARN", "A driver cannot be deleted, and is deleted again.", { key, reason: messageOf(error) });
    return false;
  }
}

/** Hides an application, kills it, and removes its record when its driver is deleted. @throws SubmitError */
export async function remove(scope: ApplicationsScope, key: string, by: string | undefined): Promise<void> {
  const entry = scope.index.get(key);
  if (entry === undefined) return;
  if (entry.end === undefined) {
    const killed = entry.record.killed ?? { by, atMs: scope.host.clock.now() };
    await change(scope, entry, { killed, isRemoved: true });
    scope.index.forget(entry);
    await kill(scope, key, by);
  } else await removeRecord(scope, entry);
  for (const listener of scope.listeners) listener(key, undefined);
}

/** Submits an application that has ended again, as a new attempt. Returns false if it has not ended. @throws SubmitError */
export async function retry(scope: ApplicationsScope, key: string): Promise<boolean> {
  const entry = scope.index.get(key);
  if (entry?.record.end === undefined) return false;
  const next = newEntry(nextAttempt(entry.record, undefined));
  await scope.store.update(next.record);
  replaceEntry(scope, next);
  scope.dispatcher.add(next);
  return true;
}
