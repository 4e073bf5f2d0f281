import type { Issue } from "../../../errors/issue.ts";
import { hasCode, isSubmitError } from "../../../errors/submit-error.ts";
import type { Clock } from "../../../host/host.ts";
import { ownedBy } from "../../../kube/owner-reference.ts";
import { type ResourceType, resourceTypes } from "../../../kube/resources.ts";
import type { KubeResource, ObjectMeta, Pod } from "../../../kube/types.ts";
import { fieldManager, type KubeClient } from "../../../kube-client/client.ts";
import { roleLabel } from "../../../plan/labels.ts";
import { driverOf } from "./driver-of.ts";

/** Where to look for what broken submissions left behind, and what to take for that. */
export interface SweepCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  /** Younger objects may belong to a submission that is still under way. */
  readonly olderThanMs: number;
  /** Only tells what would be done. */
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What became of one object that had no owner. */
export interface SweptObject {
  readonly type: ResourceType;
  readonly name: string;
  /** `adopted`: its driver exists and owns it now; `kept`: it is too young. */
  readonly action: "adopted" | "deleted" | "kept";
  /** The driver's pod of an adopted object. */
  readonly driver?: string;
}

/** All that was done, and the calls that were refused. */
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
 * Puts in order what submissions left behind that were killed between two calls: objects of ours without an owner. Those
 * whose driver exists get it as owner; old ones without a driver are deleted.
 */
export async function sweep(call: SweepCall): Promise<SweepResult> {
  const objects: SweptObject[] = [];
  const issues: Issue[] = [];
  const unlessRefused = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!isSubmitError(error) || call.signal?.aborted === true) throw error;
      issues.push(...error.issues);
    }
  };
  for (const type of sweptTypes) {
    await unlessRefused(async () => {
      for (const orphan of await findOrphans(call, type)) {
        await unlessRefused(async () => {
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
  const items = await listAll(call, type);
  const orphans = items.filter(({ metadata }) => isOrphan(metadata));
  if (orphans.length === 0) return [];
  // After the objects, so that a driver which came meanwhile is seen.
  const drivers = await listDrivers(call);
  return orphans.map((object) => ({ type, object, drivers }));
}

async function listAll(
  { client, namespace, signal }: SweepCall,
  type: ResourceType,
): Promise<readonly KubeResource[]> {
  try {
    return (await client.list({ type, namespace, ...(signal && { signal }) })).items;
  } catch (error) {
    // A cluster without Volcano refuses before it tells that it has no such kind.
    const mayBeAbsent = type === resourceTypes.podGroup;
    const codes = ["SUBMIT_ERR_KUBE_NOT_FOUND", "SUBMIT_ERR_KUBE_FORBIDDEN"] as const;
    if (mayBeAbsent && codes.some((code) => hasCode(error, code))) return [];
    throw error;
  }
}

/** True for what a submission of ours made, and nobody else changed but controllers of Kubernetes and of Volcano. */
function isOrphan({ managedFields = [], ownerReferences = [] }: ObjectMeta): boolean {
  const isOurs = managedFields.some(({ manager }) => manager === fieldManager);
  const strangers = managedFields.filter(
    ({ manager = "" }) => manager !== fieldManager && !/^(?:kube|vc)-/.test(manager),
  );
  return isOurs && strangers.length === 0 && ownerReferences.length === 0;
}

async function listDrivers({ client, namespace, signal }: SweepCall): Promise<readonly Pod[]> {
  const labelSelector = `${roleLabel}=driver`;
  const type = resourceTypes.pod;
  return (await client.list<Pod>({ type, namespace, labelSelector, ...(signal && { signal }) })).items;
}

async function sweepOne(call: SweepCall, { type, object, drivers }: Orphan): Promise<SweptObject> {
  const { client, clock, namespace, olderThanMs, dryRun } = call;
  const { name = "", uid = "", resourceVersion = "", creationTimestamp = "" } = object.metadata;
  const driver = driverOf(type, object, drivers);
  if (driver !== undefined) {
    // With the version, so that an object that changed meanwhile is left alone.
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
