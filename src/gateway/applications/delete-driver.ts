import { hasCode, messageOf } from "../../errors/submit-error.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { backoff } from "../../net/backoff.ts";
import type { Entry } from "./entry.ts";
import type { ApplicationsScope } from "./scope.ts";

/** Deletes the driver of an application. Repeats a failed deletion in the background. */
export async function deleteDriver(scope: ApplicationsScope, entry: Entry): Promise<void> {
  if (await isDriverDeleted(scope, entry)) return;
  void repeatDeletion(scope, entry);
}

async function repeatDeletion(scope: ApplicationsScope, entry: Entry): Promise<void> {
  const { host, ending } = scope;
  const { wait } = backoff(host.clock, host.random);
  do await wait(ending);
  while (!ending.aborted && !(await isDriverDeleted(scope, entry)));
}

async function isDriverDeleted(scope: ApplicationsScope, entry: Entry): Promise<boolean> {
  try {
    await deletePod(scope, entry);
    return true;
  } catch (error) {
    const { key } = entry.record;
    scope.log("WARN", "A driver cannot be deleted, and is deleted again.", { key, reason: messageOf(error) });
    return false;
  }
}

/**
 * Deletes the pod of a driver, if it exists. Its objects and executors belong to it.
 *
 * @throws SubmitError if it is not deleted
 */
export async function deletePod(
  { client }: Pick<ApplicationsScope, "client">,
  { record, driver }: Entry,
): Promise<void> {
  const { namespace, podName: name } = record;
  try {
    await client.delete({ type: resourceTypes.pod, namespace, name, ...(driver !== undefined && { uid: driver.uid }) });
  } catch (error) {
    // Another pod has the name now.
    if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
  }
}
