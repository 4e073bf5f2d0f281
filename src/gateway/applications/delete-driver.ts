import { messageOf } from "../../errors/message-of.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { backoff } from "../../net/backoff.ts";
import type { Entry } from "./entry.ts";
import type { ApplicationsScope } from "./scope.ts";

/** Deletes the driver of an application. Its objects and executors belong to it. Repeats a failed deletion in the background. */
export async function deleteDriver(scope: ApplicationsScope, entry: Entry): Promise<void> {
  if (await isDriverDeleted(scope, entry)) return;
  void repeatDeletion(scope, entry);
}

/** Repeats until the application has ended: the cluster removes ended drivers some time. */
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
