import { hasCode, isSubmitError } from "../../../errors/submit-error.ts";
import { resourceTypeOf } from "../../../kube/resources.ts";
import type { KubeResource, ObjectMeta, Pod } from "../../../kube/types.ts";
import { mayHaveArrived } from "../../../kube-client/network-error.ts";
import {
  type Application,
  type ApplyCall,
  applyAll,
  createPod,
  driverCreation,
  ownedResources,
  resourceCreation,
  rollBack,
  withOwner,
} from "../create/apply-manifests.ts";
import { type Creation, findCreated, undo } from "../create/undo-creations.ts";

/** A submission that concurrent attempts can send, too. */
export interface CreateOnceCall extends ApplyCall {
  /** Returns whether this attempt created a pod. */
  readonly isOwnPod: (metadata: ObjectMeta) => boolean;
  /** Returns whether only this attempt has a resource. */
  readonly isOwnResource: (resource: KubeResource) => boolean;
}

/**
 * Creates a submission exactly once, in the order of `applyManifests`, although several attempts may run concurrently.
 *
 * The API lets one attempt create the driver's pod. Before that, no attempt changes existing objects, so none removes an
 * owner. After that, every attempt makes this pod the owner. A failing attempt deletes only objects without an owner; the last
 * step of a concurrent attempt creates them again.
 *
 * @returns the driver's pod, and whether a concurrent attempt created it
 * @throws SUBMIT_ERR_KUBE_…, SUBMIT_ERR_INTERRUPTED, each optionally followed by SUBMIT_ERR_CLEANUP_INCOMPLETE
 */
export async function createOnce(call: CreateOnceCall): Promise<{ readonly pod: Pod; readonly isAdopted: boolean }> {
  const application: Application & CreateOnceCall = { ...call, creations: [] };
  const all = ownedResources(call.manifests);
  try {
    await applyAll(application, all, createOne);
    const pod = await createPod(application);
    await applyAll(application, withOwner(all, pod));
    return { pod, isAdopted: false };
  } catch (error) {
    const concurrent = await findConcurrentDriver(call, error);
    if (concurrent !== undefined) {
      await withdraw(application, concurrent);
      return { pod: concurrent, isAdopted: true };
    }
    return rollBack(application, error);
  }
}

/** Makes the pod of another attempt the owner of the shared objects, and creates the missing ones. Only logs a failure. */
export async function adopt(call: CreateOnceCall, pod: Pod): Promise<void> {
  const shared = ownedResources(call.manifests).filter((resource) => !call.isOwnResource(resource));
  try {
    await applyAll({ ...call, creations: [] }, withOwner(shared, pod));
  } catch (error) {
    if (!isSubmitError(error) || call.signal?.aborted === true) throw error;
    const { name = "", namespace = "" } = pod.metadata ?? {};
    call.log("WARN", "Client", `Cannot update the objects of ${namespace}:${name}: ${error.message}`);
  }
}

/** Creates a resource without an owner. An existing one is unchanged. */
async function createOne(application: Application, object: KubeResource): Promise<void> {
  const { client, manifests, signal, creations } = application;
  const creation = { ...resourceCreation(manifests, object), isShared: true };
  const { type, namespace } = creation;
  try {
    const created = await client.create({ type, namespace, object, ...(signal && { signal }) });
    const { uid } = created.metadata;
    // A client can leave an object to the last step, and returns it without a UID.
    if (uid !== undefined) creations.push({ ...creation, uid });
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) return;
    if (mayHaveArrived(error)) creations.push({ ...creation, uid: undefined });
    throw error;
  }
}

/** Finds the conflicting driver, if another attempt at the same submission created it. */
async function findConcurrentDriver({ client, manifests }: CreateOnceCall, error: unknown): Promise<Pod | undefined> {
  if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) return undefined;
  return findCreated<Pod>(client, driverCreation(manifests)).catch(() => undefined);
}

/** Withdraws in favor of a concurrent attempt: deletes the own objects of this one, and gives the shared ones their owner. */
async function withdraw(application: Application & CreateOnceCall, driver: Pod): Promise<void> {
  const own = application.manifests.resources.filter(application.isOwnResource);
  const isOwn = ({ type, name }: Creation) =>
    own.some((resource) => resourceTypeOf(resource).kind === type.kind && resource.metadata.name === name);
  const left = await undo(application.client, application.creations.filter(isOwn));
  for (const { message } of left) application.log("WARN", "Client", message);
  await adopt(application, driver);
}
