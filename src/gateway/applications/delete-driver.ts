import { resourceTypes } from "../../kube/resources.ts";
import type { Entry } from "./entry.ts";
import type { ApplicationsScope } from "./scope.ts";

/** Deletes the driver of an application. Its objects and executors belong to it. @throws SubmitError */
export async function deleteDriver({ client }: ApplicationsScope, { record, driver }: Entry): Promise<void> {
  const { namespace, podName: name } = record;
  await client.delete({ type: resourceTypes.pod, namespace, name, ...(driver !== undefined && { uid: driver.uid }) });
}
