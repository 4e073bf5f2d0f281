import type { StopSignal } from "../../../errors/stop-signal.ts";
import { hasCode, isSubmitError, SubmitError, submitError } from "../../../errors/submit-error.ts";
import type { Log } from "../../../host/log.ts";
import { ownedBy } from "../../../kube/owner-reference.ts";
import { resourceTypeOf, resourceTypes } from "../../../kube/resources.ts";
import type { KubeResource, ObjectMeta, Pod } from "../../../kube/types.ts";
import { fieldManager, type KubeClient } from "../../../kube-client/client.ts";
import { mayHaveArrived } from "../../../kube-client/network-error.ts";
import { appSelectorLabel } from "../../../plan/labels.ts";
import type { Manifests } from "../../../spec/manifests.ts";
import { type Creation, findCreated, undo } from "./undo-creations.ts";

// Spark's words for whoever administers the cluster. Source: Spark Client.run.
const logger = "Client";
const checkPod = 'Please check "kubectl auth can-i create pod" first. It should be yes.';
const checkResource =
  'Please check "kubectl auth can-i create [resource]" first. It should be yes. And please also check your feature step implementation.';

/** What is to be created, and where. */
export interface ApplyCall {
  readonly client: KubeClient;
  readonly manifests: Manifests;
  readonly log: Log;
  /** Stops and takes everything back. */
  readonly signal?: StopSignal | undefined;
}

/** One submission on its way: the call, and what exists by now because of it. */
export interface Application extends ApplyCall {
  readonly creations: Creation[];
  /** Tells our pod from one of the same name. @default by the application's id, which no other submission has */
  readonly isOwnPod?: (metadata: ObjectMeta) => boolean;
}

/**
 * Creates a submission: first, without an owner, what the driver mounts and needs; then the driver's pod; then the pod
 * becomes the owner of it all. So no driver ever waits for what never comes, and what has no owner has no driver.
 *
 * A refusal, or the signal, takes back exactly what was created here; what could not be is told as a further issue.
 *
 * @returns the pod as the API answered it
 * @throws SUBMIT_ERR_KUBE_…, SUBMIT_ERR_INTERRUPTED, each perhaps with SUBMIT_ERR_CLEANUP_INCOMPLETE
 */
export async function applyManifests(call: ApplyCall): Promise<Pod> {
  const application: Application = { ...call, creations: [] };
  const resources = besidesDriver(call.manifests);
  try {
    await applyAll(application, resources);
    const pod = await createPod(application);
    await applyAll(application, ownedByAll(resources, pod));
    return pod;
  } catch (error) {
    return rollBack(application, error);
  }
}

/** All objects but the driver's pod. */
export function besidesDriver({ preResources, resources }: Manifests): readonly KubeResource[] {
  return [...preResources, ...resources];
}

/** The same objects with a pod as their owner. */
export function ownedByAll(resources: readonly KubeResource[], pod: Pod): readonly KubeResource[] {
  return resources.map((resource) => ownedBy(resource, pod));
}

/** Deletes what was created, and throws what stopped it with what could not be deleted. */
export async function rollBack({ client, creations }: Application, error: unknown): Promise<never> {
  const left = await undo(client, creations);
  if (!isSubmitError(error) || left.length === 0) throw error;
  throw new SubmitError([...error.issues, ...left], { cause: error.cause });
}

/** What is looked for where the driver's pod may be: by default a pod with our application's id. */
export function driverCreation(
  { namespace, pod }: Manifests,
  isOwnPod?: Creation["isOwn"],
): Omit<Creation, "uid"> {
  const appId = pod.metadata?.labels?.[appSelectorLabel];
  const hasOurId = ({ labels }: ObjectMeta) => appId !== undefined && labels?.[appSelectorLabel] === appId;
  const name = pod.metadata?.name ?? "";
  return { type: resourceTypes.pod, namespace, name, isOwn: isOwnPod ?? hasOurId };
}

/** Sends all at once; when several are refused, the first in order speaks. */
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
  const refused = outcomes.indexOf(failure);
  if (refused < manifests.preResources.length) log("ERROR", logger, checkResource);
  else if (wouldRefuseAnything(failure.reason)) log("ERROR", logger, checkPod);
  throw failure.reason;
}

async function applyOne(
  { client, manifests, signal, creations }: Application,
  object: KubeResource,
): Promise<void> {
  const type = resourceTypeOf(object);
  const namespace = object.metadata.namespace ?? manifests.namespace;
  const creation = { type, namespace, name: object.metadata.name ?? "", isOwn: isUnowned };
  try {
    const answer = await client.apply({ type, namespace, object, ...(signal && { signal }) });
    const { uid } = answer.object.metadata;
    // After a retry the API calls our own object an old one.
    if (answer.created || isUnowned(answer.object.metadata)) creations.push({ ...creation, uid });
  } catch (error) {
    if (mayHaveArrived(error)) creations.push({ ...creation, uid: undefined });
    throw error;
  }
}

/** Creates the driver's pod. Where another one stands in the way that a rival may have made, nothing is told of it. */
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
    const lost = signal?.aborted === true ? undefined : await findLost(client, creation, error);
    if (lost !== undefined) {
      creations.push({ ...creation, uid: lost.metadata?.uid });
      return lost;
    }
    if (mayHaveArrived(error)) creations.push({ ...creation, uid: undefined });
    const isRivalled = application.isOwnPod !== undefined && hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT");
    if (signal?.aborted !== true && !isRivalled) log("ERROR", logger, checkPod);
    throw error;
  }
}

/** A pod whose answer got lost on the way: after a retry the API says that our own pod is in our way. */
async function findLost(
  client: KubeClient,
  creation: Omit<Creation, "uid">,
  error: unknown,
): Promise<Pod | undefined> {
  if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT") && !mayHaveArrived(error)) return undefined;
  // Where this fails, too, the first error is the one to tell.
  return findCreated<Pod>(client, creation).catch(() => undefined);
}

/** True for an object of ours whose driver does not exist: its name has an id that no other submission has. */
export function isUnowned({ managedFields = [], ownerReferences = [] }: ObjectMeta): boolean {
  return (
    ownerReferences.length === 0 &&
    managedFields.length > 0 &&
    managedFields.every(({ manager }) => manager === fieldManager)
  );
}

const refusingAnything: ReadonlySet<string> = new Set([
  "SUBMIT_ERR_KUBE_NAMESPACE",
  "SUBMIT_ERR_KUBE_UNAUTHORIZED",
  // An authority that is no certificate, which a connection finds out.
  "SUBMIT_ERR_KUBE_AUTH_PEM",
]);

/** Whether the driver's pod would have been refused as well. */
function wouldRefuseAnything(error: unknown): boolean {
  if (!isSubmitError(error)) return false;
  const { code, kind } = error;
  if (refusingAnything.has(code)) return true;
  return kind === "unreachable" || kind === "timeout";
}
