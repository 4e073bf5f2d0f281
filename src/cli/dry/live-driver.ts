import { submitError } from "../../errors/submit-error.ts";
import { type ComparableFields, liveFields } from "../../explain/live-fields.ts";
import { toResource } from "../../explain/submission-objects.ts";
import type { Host } from "../../host/host.ts";
import { sparkLog } from "../../host/log.ts";
import { apiVersionOf, type ResourceType, resourceTypes } from "../../kube/resources.ts";
import type { KubeResource, Pod } from "../../kube/types.ts";
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
    return await fieldsOfDriver(client, await client.get<Pod>({ type: resourceTypes.pod, namespace, name }));
  } finally {
    client.close();
  }
}

/**
 * Returns the fields of a driver and of the objects it owns, which are read.
 *
 * @param extraTypes kinds of further objects that the driver can own
 * @throws the errors of the API client
 */
export async function fieldsOfDriver(
  client: KubeClient,
  pod: Pod,
  extraTypes: readonly ResourceType[] = [],
): Promise<ComparableFields> {
  const driver = requireDepth(client, toResource(pod));
  return liveFields(driver, await ownedBy(client, driver, typesOf(extraTypes)));
}

function typesOf(extra: readonly ResourceType[]): readonly ResourceType[] {
  const all = [...ownedTypes, ...extra].map((type) => [`${type.group}/${type.plural}`, type] as const);
  return [...new Map(all).values()];
}

/** Lists the objects that the driver owns; without those of executors, which the driver creates itself. */
async function ownedBy(
  client: KubeClient,
  driver: KubeResource,
  types: readonly ResourceType[],
): Promise<readonly KubeResource[]> {
  const found: KubeResource[] = [];
  const { namespace = "" } = driver.metadata;
  for (const type of types) {
    const { items } = await client.list({ type, namespace });
    const own = items.filter(
      ({ metadata }) =>
        metadata.labels?.[roleLabel] !== "executor" &&
        metadata.ownerReferences?.some(({ uid }) => uid === driver.metadata.uid) === true,
    );
    found.push(
      ...own
        .map((object) => requireDepth(client, object))
        .map((object) => ({ ...object, apiVersion: apiVersionOf(type), kind: type.kind })),
    );
  }
  return found;
}

/** Maximum nesting of an object. Those of Kubernetes have about 15 levels. */
const maxDepth = 500;

/** Returns an object that can be compared field by field. @throws SUBMIT_ERR_KUBE_RESPONSE for one that is nested too deeply */
function requireDepth({ server }: KubeClient, object: KubeResource): KubeResource {
  let level: readonly unknown[] = [object];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) {
      const reason = `it has more than ${maxDepth} levels`;
      throw submitError("SUBMIT_ERR_KUBE_RESPONSE", { method: "GET", url: server, reason });
    }
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return object;
}
