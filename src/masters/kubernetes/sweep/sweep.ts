import type { Issue } from "../../../errors/issue.ts";
import { hasCode, isSubmitError } from "../../../errors/submit-error.ts";
import type { Clock } from "../../../host/host.ts";
import { ownedBy } from "../../../kube/owner-reference.ts";
import { type ResourceType, resourceTypes } from "../../../kube/resources.ts";
import type { KubeResource, ObjectMeta, Pod } from "../../../kube/types.ts";
import { fieldManager, type KubeClient } from "../../../kube-client/client.ts";
import { roleLabel } from "../../../plan/labels.ts";
import { driverOf } from "./driver-of.ts";

interface SweepCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  /** Minimum age in ms of deleted objects. Newer ones can belong to a submission that is still running. */
  readonly olderThanMs: number;
  /** Whether to report actions without performing them. */
  readonly dryRun: boolean;
  /** Label selectors of the objects and of the drivers that can own them. @default all objects of Firesteel, all drivers */
  readonly selectors?: { readonly objects: string; readonly drivers: string };
}

/** Action on one object without an owner. */
export interface SweptObject {
  readonly type: ResourceType;
  readonly name: string;
  /** `adopted`: its driver exists and owns it now; `kept`: it is too new. */
  readonly action: "adopted" | "deleted" | "kept";
  /** The driver's pod of an adopted object. */
  readonly driver?: string;
}

/** Actions on all objects, and the errors of rejected calls. */
export interface SweepResult {
  readonly objects: readonly SweptObject[];
  readonly issues: readonly Issue[];
}

const sweptTypes = [
  resourceTypes.configMap,
  resourceTypes.secret,
  resourceTypes.service,
  resourceTypes.networkPolicy,
  resourceTypes.persistentVolumeClaim,
  resourceTypes.podGroup,
];

/**
 * Cleans up after submissions that were killed between two calls. An object that Firesteel created and that has no owner
 * gets its driver as owner, or is deleted if it is old and has no driver. Rejected calls become issues.
 */
export async function sweep(call: SweepCall): Promise<SweepResult> {
  const objects: SweptObject[] = [];
  const issues: Issue[] = [];
  const collectIssues = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!isSubmitError(error)) throw error;
      issues.push(...error.issues);
    }
  };
  for (const type of sweptTypes) {
    await collectIssues(async () => {
      for (const orphan of await findOrphans(call, type)) {
        await collectIssues(async () => {
          objects.push(await sweepOne(call, orphan));
        });
      }
    });
  }
  return { objects, issues };
}

interface Orphan {
  readonly type: ResourceType;
  readonly object: KubeResource;
  readonly drivers: readonly Pod[];
}

async function findOrphans(call: SweepCall, type: ResourceType): Promise<readonly Orphan[]> {
  const { client, namespace, selectors } = call;
  const items = await listAll(call, type);
  const orphans = items.filter(({ metadata }) => isOrphan(metadata));
  if (orphans.length === 0) return [];
  // List drivers after the objects: a driver created in between must be found.
  const labelSelector = [`${roleLabel}=driver`, ...(selectors === undefined ? [] : [selectors.drivers])].join(",");
  const { items: drivers } = await client.list<Pod>({ type: resourceTypes.pod, namespace, labelSelector });
  return orphans.map((object) => ({ type, object, drivers }));
}

async function listAll(
  { client, namespace, selectors }: SweepCall,
  type: ResourceType,
): Promise<readonly KubeResource[]> {
  try {
    const call = { type, namespace, ...(selectors !== undefined && { labelSelector: selectors.objects }) };
    return (await client.list(call)).items;
  } catch (error) {
    // A cluster without Volcano can deny access (403) before it reports that the kind does not exist (404).
    const mayBeAbsent = type === resourceTypes.podGroup;
    const codes = ["SUBMIT_ERR_KUBE_NOT_FOUND", "SUBMIT_ERR_KUBE_FORBIDDEN"] as const;
    if (mayBeAbsent && codes.some((code) => hasCode(error, code))) return [];
    throw error;
  }
}

/** Returns whether Firesteel created an object that has no owner, and that only controllers of Kubernetes or Volcano changed. */
function isOrphan({ managedFields = [], ownerReferences = [] }: ObjectMeta): boolean {
  const isCreatedByFiresteel = managedFields.some(({ manager }) => manager === fieldManager);
  const otherManagers = managedFields.filter(
    ({ manager = "" }) => manager !== fieldManager && !/^(?:kube|vc)-/.test(manager),
  );
  return isCreatedByFiresteel && otherManagers.length === 0 && ownerReferences.length === 0;
}

async function sweepOne(call: SweepCall, { type, object, drivers }: Orphan): Promise<SweptObject> {
  const { client, clock, namespace, olderThanMs, dryRun } = call;
  const { name = "", uid = "", resourceVersion = "", creationTimestamp = "" } = object.metadata;
  const driver = driverOf(type, object, drivers);
  if (driver !== undefined) {
    // The resource version makes the API reject the patch if the object has changed since the list.
    const { ownerReferences } = ownedBy(object, driver).metadata;
    const patch = { metadata: { uid, resourceVersion, ownerReferences } };
    if (!dryRun) await client.patch({ type, namespace, name, patch });
    return { type, name, action: "adopted", driver: driver.metadata?.name ?? "" };
  }
  const isOld = clock.now() - Date.parse(creationTimestamp) > olderThanMs;
  if (!isOld) return { type, name, action: "kept" };
  if (!dryRun) await client.delete({ type, namespace, name, uid, resourceVersion });
  return { type, name, action: "deleted" };
}
