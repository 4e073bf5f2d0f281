import { hasCode, isSubmitError } from "../../../errors/submit-error.ts";
import { resourceTypeOf } from "../../../kube/resources.ts";
import type { KubeResource, ObjectMeta, Pod } from "../../../kube/types.ts";
import { mayHaveArrived } from "../../../kube-client/network-error.ts";
import {
  type Application,
  type ApplyCall,
  applyAll,
  besidesDriver,
  createPod,
  driverCreation,
  isUnowned,
  ownedByAll,
  rollBack,
} from "../create/apply-manifests.ts";
import { type Creation, findCreated, undo } from "../create/undo-creations.ts";

/** A submission that others may be sending at the same moment. */
export interface CreateOnceCall extends ApplyCall {
  /** Tells a pod that this very attempt created. */
  readonly isOurPod: (metadata: ObjectMeta) => boolean;
  /** The resource that only this attempt has. */
  readonly isOwnResource: (resource: KubeResource) => boolean;
}

/** The driver that there is now, and whether it was another attempt that created it. */
export interface CreatedOnce {
  readonly pod: Pod;
  readonly isAdopted: boolean;
}

/**
 * Creates a submission of which there must be one, in the order of `applyManifests`. The API lets one of several rivals
 * create the driver's pod. Until then nobody changes what is there already, so nobody takes an owner away; from then
 * on all make that pod the owner. Whoever fails removes only what still has no owner, and what a rival misses because of that its
 * own last step creates anew.
 *
 * @throws SUBMIT_ERR_KUBE_…, SUBMIT_ERR_INTERRUPTED, each perhaps with SUBMIT_ERR_CLEANUP_INCOMPLETE
 */
export async function createOnce(call: CreateOnceCall): Promise<CreatedOnce> {
  const application: Application & CreateOnceCall = { ...call, creations: [] };
  const all = besidesDriver(call.manifests);
  try {
    await applyAll(application, all, createOne);
    const pod = await createPod(application);
    await applyAll(application, ownedByAll(all, pod));
    return { pod, isAdopted: false };
  } catch (error) {
    const rival = await findConcurrentDriver(call, error);
    if (rival !== undefined) {
      await withdraw(application, rival);
      return { pod: rival, isAdopted: true };
    }
    return rollBack(application, error);
  }
}

/** Makes a pod that another attempt created the owner of what all attempts share; what is missing is created. */
export async function adopt(call: CreateOnceCall, pod: Pod): Promise<void> {
  const shared = besidesDriver(call.manifests).filter((resource) => !call.isOwnResource(resource));
  try {
    await applyAll({ ...call, creations: [] }, ownedByAll(shared, pod));
  } catch (error) {
    if (!isSubmitError(error) || call.signal?.aborted === true) throw error;
    const { name = "", namespace = "" } = pod.metadata ?? {};
    call.log("WARN", "Client", `What ${namespace}:${name} needs could not be looked after: ${error.message}`);
  }
}

/** Creates a resource without an owner; one that is there stays as it is. */
async function createOne(application: Application, object: KubeResource): Promise<void> {
  const { client, manifests, signal, creations } = application;
  const type = resourceTypeOf(object);
  const namespace = object.metadata.namespace ?? manifests.namespace;
  const name = object.metadata.name ?? "";
  const creation = { type, namespace, name, isOurs: isUnowned, isShared: true };
  try {
    const created = await client.create({ type, namespace, object, ...(signal && { signal }) });
    creations.push({ ...creation, uid: created.metadata.uid });
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) return;
    if (mayHaveArrived(error)) creations.push({ ...creation, uid: undefined });
    throw error;
  }
}

/** The driver that stands in our way because another attempt at the same submission created it. */
async function findConcurrentDriver(
  { client, manifests }: CreateOnceCall,
  error: unknown,
): Promise<Pod | undefined> {
  if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) return undefined;
  return findCreated<Pod>(client, driverCreation(manifests)).catch(() => undefined);
}

/** Leaves the place to a rival: what only this attempt has goes, the rest gets its owner. */
async function withdraw(application: Application & CreateOnceCall, rival: Pod): Promise<void> {
  const own = application.manifests.resources.filter(application.isOwnResource);
  const isOwn = ({ type, name }: Creation) =>
    own.some((resource) => resourceTypeOf(resource).kind === type.kind && resource.metadata.name === name);
  const left = await undo(application.client, application.creations.filter(isOwn));
  for (const { message } of left) application.log("WARN", "Client", message);
  await adopt(application, rival);
}
