import { hasCode, messageOf, submitError } from "../../../errors/submit-error.ts";
import { accessTypes } from "../../../kube/access-types.ts";
import {
  apiVersionOf,
  printReference,
  type ResourceType,
  resourceTypeOf,
  resourceTypes,
} from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { KubeResource } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** Owner of the fields of a set-up. Not that of submissions: `firesteel sweep` deletes their objects if no driver owns them. */
export const setupFieldOwner = "firesteel-setup";

/** Result of the apply of one object. */
export interface AppliedObject {
  /** E.g. `role.rbac.authorization.k8s.io/spark-driver`. */
  readonly reference: string;
  readonly action: "created" | "changed" | "unchanged";
}

interface ObjectsCall {
  readonly client: KubeClient;
  readonly objects: readonly KubeResource[];
  /** Called after each object. */
  readonly report: (applied: AppliedObject) => void;
  /** Command of the set-up, for the hint of an error. */
  readonly command: string;
}

/**
 * Applies objects one after another, so that a repeated call changes nothing. It stops at the first error, and can be repeated.
 *
 * @throws SUBMIT_ERR_SETUP_FORBIDDEN, SUBMIT_ERR_KUBE_…
 */
export async function applyObjects({ client, objects, report, command }: ObjectsCall): Promise<void> {
  const done: string[] = [];
  for (const object of objects) {
    const type = typeOf(object);
    const reference = printReference(type, object.metadata.name ?? "");
    try {
      const action = await applyOne(client, type, object);
      if (action !== "unchanged") done.push(reference);
      report({ reference, action });
    } catch (error) {
      if (!isForbidden(error)) throw error;
      const reason = statusOf(error)?.message ?? messageOf(error);
      throw submitError("SUBMIT_ERR_SETUP_FORBIDDEN", { reference, reason, done, command }, { cause: error });
    }
  }
}

function typeOf(object: KubeResource): ResourceType {
  const known = accessTypes.find((type) => type.kind === object.kind && apiVersionOf(type) === object.apiVersion);
  return known ?? resourceTypeOf(object);
}

async function applyOne(
  client: KubeClient,
  type: ResourceType,
  object: KubeResource,
): Promise<AppliedObject["action"]> {
  const { name = "", namespace } = object.metadata;
  const target = { type, ...(namespace !== undefined && { namespace }) };
  const before = await find(client, { ...target, name });
  // An account that may only work in the namespace can set it up if it exists.
  if (type === resourceTypes.namespace && before !== undefined) return "unchanged";
  const { object: after } = await client.apply({ ...target, object, manager: setupFieldOwner });
  if (before === undefined) return "created";
  return before.metadata.resourceVersion === after.metadata.resourceVersion ? "unchanged" : "changed";
}

/** Returns an object; `undefined` if it does not exist or may not be read. */
async function find(client: KubeClient, call: Parameters<KubeClient["get"]>[0]): Promise<KubeResource | undefined> {
  try {
    return await client.get(call);
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND") || hasCode(error, "SUBMIT_ERR_KUBE_FORBIDDEN")) return undefined;
    throw error;
  }
}

/** A role cannot grant what its author lacks: the API reports this without naming a verb. */
function isForbidden(error: unknown): boolean {
  return (
    hasCode(error, "SUBMIT_ERR_KUBE_FORBIDDEN") || messageOf(error).includes("attempting to grant RBAC permissions")
  );
}
