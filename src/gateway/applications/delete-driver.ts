import { hasCode, messageOf } from "../../errors/submit-error.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { backoff } from "../../net/backoff.ts";
import type { Entry } from "./entry.ts";
import type { ApplicationsScope } from "./scope.ts";

/** Deletes the driver of an application. Repeats a failed deletion in the background. */
export function deleteDriver(scope: ApplicationsScope, entry: Entry): Promise<void> {
  return deletePodSurely(scope, () => podOf(entry));
}

/** A pod by its name, and its UID if it is known. */
interface DriverPod {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
}

function podOf({ record: { key, namespace, podName: name }, driver }: Entry): DriverPod {
  return { key, namespace, name, uid: driver?.uid };
}

/** Deletes a pod as it is known at each attempt. Repeats a failed deletion in the background. */
export async function deletePodSurely(scope: ApplicationsScope, pod: () => DriverPod): Promise<void> {
  if (!(await isPodDeleted(scope, pod()))) void repeatDeletion(scope, pod);
}

async function repeatDeletion(scope: ApplicationsScope, pod: () => DriverPod): Promise<void> {
  const { host, ending } = scope;
  const { wait } = backoff(host.clock, host.random);
  do await wait(ending);
  while (!ending.aborted && !(await isPodDeleted(scope, pod())));
}

async function isPodDeleted(scope: ApplicationsScope, pod: DriverPod): Promise<boolean> {
  try {
    await deletePod(scope, pod);
    return true;
  } catch (error) {
    const reason = messageOf(error);
    scope.log("WARN", "A driver cannot be deleted, and is deleted again.", { key: pod.key, reason });
    return false;
  }
}

/**
 * Deletes the driver of an application that has ended, if its pod exists. Its objects and executors belong to it.
 *
 * @throws SubmitError if it is not deleted
 */
export async function deleteEndedDriver(scope: Pick<ApplicationsScope, "client">, entry: Entry): Promise<void> {
  if (entry.hasPod) await deletePod(scope, podOf(entry));
}

async function deletePod(
  { client }: Pick<ApplicationsScope, "client">,
  { namespace, name, uid }: DriverPod,
): Promise<void> {
  try {
    await client.delete({ type: resourceTypes.pod, namespace, name, ...(uid !== undefined && { uid }) });
  } catch (error) {
    // Another pod has the name now.
    if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
  }
}
