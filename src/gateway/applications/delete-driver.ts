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

function isDriverDeleted(scope: ApplicationsScope, { record, driver }: Entry): Promise<boolean> {
  const { key, namespace, podName: name } = record;
  return isPodDeleted(scope, { key, namespace, name, uid: driver?.uid });
}

/** A pod by its name, and its UID if it is known. */
interface DriverPod {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
}

/** Deletes a driver that no application waits for. Repeats a failed deletion. */
export async function deleteLateDriver(scope: ApplicationsScope, pod: DriverPod): Promise<void> {
  const { host, ending } = scope;
  const { wait } = backoff(host.clock, host.random);
  while (!ending.aborted && !(await isPodDeleted(scope, pod))) await wait(ending);
}

async function isPodDeleted(
  { client, log }: ApplicationsScope,
  { key, namespace, name, uid }: DriverPod,
): Promise<boolean> {
  try {
    await client.delete({ type: resourceTypes.pod, namespace, name, ...(uid !== undefined && { uid }) });
    return true;
  } catch (error) {
    log("WARN", "A driver cannot be deleted, and is deleted again.", { key, reason: messageOf(error) });
    return false;
  }
}
