import type { Pod } from "../../kube/types.ts";
import { keyLabel } from "../submit/to-invocation.ts";
import { deletePodSurely } from "./delete-driver.ts";
import type { Entry } from "./entry.ts";
import { isEarlierDriver } from "./next-attempt.ts";
import { observeDriver } from "./observe-pod.ts";
import type { ApplicationsScope } from "./scope.ts";

/**
 * Deletes a driver that must not run: the API has created it late, on a request of an earlier process, when the application had been killed
 * or removed, or had another attempt. A pod that has ended, or that is being deleted, stays.
 *
 * @param entry the application of the pod, if it is known
 */
export function deleteIfLate(scope: ApplicationsScope, entry: Entry | undefined, pod: Pod): void {
  const { name = "", namespace = "", uid, labels = {}, deletionTimestamp } = pod.metadata ?? {};
  if (deletionTimestamp != null || !isUnexpected(scope, entry, pod)) return;
  if (observeDriver(pod, { killed: undefined }).end !== undefined) return;
  const key = labels[keyLabel] ?? "";
  scope.log("WARN", "A driver that was created late is deleted.", { key, pod: name });
  void deletePodSurely(scope, () => ({ key, namespace, name, uid }));
}

function isUnexpected({ removedPods }: ApplicationsScope, entry: Entry | undefined, { metadata }: Pod): boolean {
  const name = metadata?.name ?? "";
  // Another gateway can have an application with the same key, but not with a pod of the same name.
  if (entry === undefined) return removedPods.has({ namespace: metadata?.namespace ?? "", podName: name });
  return name === entry.record.podName ? entry.end !== undefined : isEarlierDriver(name, entry.record);
}
