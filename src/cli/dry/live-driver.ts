import { submitError } from "../../errors/submit-error.ts";
import { type ComparableFields, liveFields } from "../../explain/live-fields.ts";
import type { Host } from "../../host/host.ts";
import { sparkLog } from "../../host/log.ts";
import { apiVersionOf, resourceTypes } from "../../kube/resources.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { connect } from "../../kube-client/connect.ts";
import { connectionOptions } from "../../masters/kubernetes/connect/connection-options.ts";
import { roleLabel } from "../../plan/labels.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";

/** Kinds of objects that a driver can own. */
const ownedTypes = [
  resourceTypes.service,
  resourceTypes.configMap,
  resourceTypes.secret,
  resourceTypes.persistentVolumeClaim,
  resourceTypes.networkPolicy,
];

/**
 * Reads a driver and the objects it owns from the cluster of a submission.
 *
 * @param against `namespace:pod`
 * @throws SUBMIT_ERR_ARG_VALUE, and the errors of the API client
 */
export async function readLiveDriver(host: Host, request: SubmitRequest, against: string): Promise<ComparableFields> {
  const [, namespace = "", name = ""] = /^([^:]+):([^:]+)$/.exec(against) ?? [];
  if (name === "") {
    const allowed = "NAMESPACE:POD";
    throw submitError("SUBMIT_ERR_ARG_VALUE", { option: "--against", value: against, allowed });
  }
  const client = await connect(host, connectionOptions(request, sparkLog(host, "WARN")));
  try {
    const driver = await client.get({ type: resourceTypes.pod, namespace, name });
    return liveFields({ ...driver, apiVersion: "v1", kind: "Pod" }, await ownedBy(client, driver, namespace));
  } finally {
    client.close();
  }
}

/** Lists the objects that the driver owns; without those of executors, which the driver creates itself. */
async function ownedBy(client: KubeClient, driver: KubeResource, namespace: string): Promise<readonly KubeResource[]> {
  const found: KubeResource[] = [];
  for (const type of ownedTypes) {
    const { items } = await client.list({ type, namespace });
    const own = items.filter(
      ({ metadata }) =>
        metadata.labels?.[roleLabel] !== "executor" &&
        metadata.ownerReferences?.some(({ uid }) => uid === driver.metadata.uid) === true,
    );
    found.push(...own.map((object) => ({ ...object, apiVersion: apiVersionOf(type), kind: type.kind })));
  }
  return found;
}
