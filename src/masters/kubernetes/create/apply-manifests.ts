import type { StopSignal } from "../../../errors/stop-signal.ts";
import { hasCode, submitError } from "../../../errors/submit-error.ts";
import type { Log } from "../../../host/log.ts";
import { ownedBy } from "../../../kube/owner-reference.ts";
import { resourceTypeOf, resourceTypes } from "../../../kube/resources.ts";
import type { KubeResource, ObjectMeta, Pod } from "../../../kube/types.ts";
import { fieldManager, type KubeClient } from "../../../kube-client/client.ts";
import { mayHaveArrived } from "../../../kube-client/network-error.ts";
import { appSelectorLabel } from "../../../plan/labels.ts";
import type { Manifests } from "../../../spec/manifests.ts";
import { findUnreported, logPodRejection, logRejection } from "./rejected-creation.ts";
import { type Creation, undo, withFurtherIssues } from "./undo-creations.ts";

export interface ApplyCall {
  readonly client: KubeClient;
  readonly manifests: Manifests;
  readonly log: Log;
  /** Stops the creation and rolls it back. */
  readonly signal?: StopSignal | undefined;
}

/** A running creation with the objects that it has created so far. */
export interface Application extends ApplyCall {
  readonly creations: Creation[];
  /** Returns whether this submission created a pod of the same name. @default by its unique application ID */
  readonly isOwnPod?: (metadata: ObjectMeta) => boolean;
}

/**
 * Creates the objects that the driver needs, without an owner, then the driver's pod, and then makes the pod their owner.
 * So a driver never waits for a missing object, and an object without an owner has no driver.
 *
 * After an error or the signal, deletes exactly the objects that it created. Each one that it cannot delete becomes a
 * further issue.
 *
 * @returns the pod in the API's response
 * @throws SUBMIT_ERR_KUBE_…, SUBMIT_ERR_INTERRUPTED, each optionally followed by SUBMIT_ERR_CLEANUP_INCOMPLETE
 */
export async function applyManifests(call: ApplyCall): Promise<Pod> {
  const application: Application = { ...call, creations: [] };
  const resources = ownedResources(call.manifests);
  try {
    await applyAll(application, resources);
    const pod = await createPod(application);
    await applyAll(application, withOwner(resources, pod));
    return pod;
  } catch (error) {
    return rollBack(application, error);
  }
}

/** Returns all objects except the driver's pod, which will own them. */
export function ownedResources({ preResources, resources }: Manifests): readonly KubeResource[] {
  return [...preResources, ...resources];
}

/** Returns the objects with a pod as their owner. */
export function withOwner(resources: readonly KubeResource[], pod: Pod): readonly KubeResource[] {
  return resources.map((resource) => ownedBy(resource, pod));
}

/** Deletes the created objects, and rethrows the error with an issue for each object that could not be deleted. */
export async function rollBack({ client, creations }: Application, error: unknown): Promise<never> {
  throw withFurtherIssues(error, await undo(client, creations));
}

/** Returns the creation of the driver's pod, which by default is recognized by its application ID. */
export function driverCreation({ namespace, pod }: Manifests, isOwnPod?: Creation["isOwn"]): Omit<Creation, "uid"> {
  const appId = pod.metadata?.labels?.[appSelectorLabel];
  const hasAppId = ({ labels }: ObjectMeta) => appId !== undefined && labels?.[appSelectorLabel] === appId;
  const name = pod.metadata?.name ?? "";
  return { type: resourceTypes.pod, namespace, name, isOwn: isOwnPod ?? hasAppId };
}

/** Sends all objects concurrently. @throws the error of the first rejected object in order */
export async function applyAll(
  application: Application,
  resources: readonly KubeResource[],
  send: (application: Application, resource: KubeResource) => Promise<void> = applyOne,
): Promise<void> {
  const outcomes = await Promise.allSettled(resources.map((resource) => send(application, resource)));
  const { log, manifests, signal } = application;
  if (signal?.aborted === true) throw submitError("SUBMIT_ERR_INTERRUPTED", {});
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure === undefined) return;
  const isPreResource = outcomes.indexOf(failure) < manifests.preResources.length;
  logRejection(log, failure.reason, isPreResource);
  throw failure.reason;
}

/** Returns the creation of an object other than the driver's pod. */
export function resourceCreation(manifests: Manifests, object: KubeResource) {
  const { name = "", namespace = manifests.namespace } = object.metadata;
  return { type: resourceTypeOf(object), namespace, name, isOwn: isUnowned };
}

async function applyOne({ client, manifests, signal, creations }: Application, object: KubeResource): Promise<void> {
  const creation = resourceCreation(manifests, object);
  const { type, namespace } = creation;
  try {
    const response = await client.apply({ type, namespace, object, ...(signal && { signal }) });
    const { uid } = response.object.metadata;
    // After a retry, the API reports an object of the first attempt as existing.
    if (response.created || isUnowned(response.object.metadata)) creations.push({ ...creation, uid });
  } catch (error) {
    if (mayHaveArrived(error)) creations.push({ ...creation, uid: undefined });
    throw error;
  }
}

/** Creates the driver's pod. Does not log a conflict with a pod that a concurrent attempt may have created. */
export async function createPod(application: Application): Promise<Pod> {
  const { client, manifests, log, signal, creations } = application;
  const { namespace, pod } = manifests;
  const creation = driverCreation(manifests, application.isOwnPod);
  try {
    const { type } = creation;
    const created = await client.create({ type, namespace, object: pod, ...(signal && { signal }) });
    creations.push({ ...creation, uid: created.metadata?.uid });
    return created;
  } catch (error) {
    const unreported = signal?.aborted === true ? undefined : await findUnreported(client, creation, error);
    if (unreported !== undefined) {
      creations.push({ ...creation, uid: unreported.metadata?.uid });
      return unreported;
    }
    if (mayHaveArrived(error)) creations.push({ ...creation, uid: undefined });
    const isConcurrent = application.isOwnPod !== undefined && hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT");
    if (signal?.aborted !== true && !isConcurrent) logPodRejection(log);
    throw error;
  }
}

/** Returns whether this submission created the object and no driver owns it. Its name contains a unique ID. */
function isUnowned({ managedFields = [], ownerReferences = [] }: ObjectMeta): boolean {
  return (
    ownerReferences.length === 0 &&
    managedFields.length > 0 &&
    managedFields.every(({ manager }) => manager === fieldManager)
  );
}
