import { messageOf } from "../../errors/message-of.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import { findObject } from "../../kube-client/find-object.ts";
import { finish, missingEnd } from "./finish.ts";
import type { ApplicationsScope } from "./scope.ts";

/**
 * Ends the applications whose driver was created and deleted while the API was not watched, so that neither the watch nor a list shows that.
 *
 * @param drivers drivers of the latest list
 * @param namespace empty for all namespaces
 */
export async function endMissedDrivers(
  scope: ApplicationsScope,
  drivers: readonly Pod[],
  namespace: string,
): Promise<void> {
  const { index, client, host, log } = scope;
  const listed = new Set(drivers.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`));
  const missing = [...index.all()].filter(
    ({ record, end, hasPod }) =>
      hasPod &&
      end === undefined &&
      (namespace === "" || record.namespace === namespace) &&
      !listed.has(`${record.namespace}/${record.podName}`),
  );
  for (const entry of missing) {
    const { key, namespace: own, podName: name } = entry.record;
    try {
      // It can also be newer than the list.
      const pod = await findObject<Pod>(client, { type: resourceTypes.pod, namespace: own, name });
      if (pod !== undefined || entry.end !== undefined) continue;
      entry.hasPod = false;
      void finish(scope, entry, missingEnd(entry, host.clock.now()), undefined);
    } catch (error) {
      log("WARN", "A driver cannot be read, and is read again after the next list.", { key, reason: messageOf(error) });
    }
  }
}
