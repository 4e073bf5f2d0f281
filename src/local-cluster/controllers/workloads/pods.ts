import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { OwnerReference, PodSpec, PodTemplateSpec } from "../../../kube/types.ts";
import { isArray, isObject } from "../../api/json.ts";
import type { Store, StoredObject } from "../../api/store.ts";
import type { ApiScope } from "../../api/verbs/call.ts";
import { type Controller, deleteObject, workQueue } from "../controller.ts";
import { createObject, recordEvent, refusalOf } from "../create-object.ts";

/** A set of pods: a stateful set, a replica set, a job. */
export interface PodSet extends StoredObject {
  readonly metadata: StoredObject["metadata"] & { readonly namespace: string };
}

/** Looks at a set whenever it, or what it owns, changes. `reconcile` may ask to be called again some time later. */
export function podSetController<T extends PodSet>(options: {
  readonly collection: string;
  readonly kind: string;
  /** What it owns. */
  readonly dependents: string;
  readonly isOwn: (object: StoredObject) => object is T;
  readonly reconcile: (api: ApiScope, set: T, requeue: (delayMs: number) => void) => void;
}): Controller {
  const { collection, kind, dependents, isOwn, reconcile } = options;
  return (api) => {
    const queue = workQueue(api, (key) => {
      const [namespace, name = ""] = key.split("/");
      const set = api.store.get(collection, namespace, name);
      if (set === undefined || !isOwn(set)) return;
      reconcile(api, set, (delayMs) => queue.add(key, delayMs));
    });
    const stopListening = api.store.follow((event) => {
      const { namespace, name } = event.object.metadata;
      if (event.collection === collection && event.type !== "DELETED") queue.add(`${namespace}/${name}`);
      if (event.collection !== dependents) return;
      for (const object of [event.object, event.previous]) {
        const owner = object && controllerOf(object);
        if (owner?.kind === kind) queue.add(`${namespace}/${owner.name}`);
      }
    });
    return () => {
      stopListening();
      queue.stop();
    };
  };
}

/** Who has the say over an object. */
export function controllerOf({ metadata }: StoredObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Says of an object that it is a set's own. */
export function ownedBy({ apiVersion, kind, metadata }: StoredObject): OwnerReference[] {
  const { name, uid } = metadata;
  return [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

/** The objects of a collection that a set controls. */
export function ownObjects(store: Store, collection: string, { metadata }: PodSet): readonly StoredObject[] {
  return store
    .list(collection, metadata.namespace)
    .filter((object) => controllerOf(object)?.uid === metadata.uid);
}

export function phaseOf({ status }: StoredObject): string {
  const phase = isObject(status) ? status["phase"] : undefined;
  return typeof phase === "string" ? phase : "";
}

/** Whether a pod has ended, well or not. */
export function isTerminated(pod: StoredObject): boolean {
  return isFinalPhase(phaseOf(pod));
}

export function isTerminating({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether a pod runs, or may soon. */
export function isActive(pod: StoredObject): boolean {
  return !isTerminated(pod) && !isTerminating(pod);
}

/** When a pod became ready, ms since 1970; `undefined` when it is not. */
export function readySince({ status, metadata }: StoredObject): number | undefined {
  const conditions = isObject(status) && isArray(status["conditions"]) ? status["conditions"] : [];
  const ready = conditions.find(
    (one) => isObject(one) && one["type"] === "Ready" && one["status"] === "True",
  );
  if (!isObject(ready)) return undefined;
  const since = ready["lastTransitionTime"] ?? metadata.creationTimestamp;
  return typeof since === "string" ? Date.parse(since) : 0;
}

/** Whether a pod has been ready for so long that it counts. */
export function isAvailable(pod: StoredObject, minReadySeconds: number, now: number): boolean {
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** How a pod differs from its set's template. */
export interface PodOverrides {
  /** Or `generateName`. */
  readonly name?: string;
  readonly generateName: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly spec?: Partial<PodSpec>;
}

/**
 * Creates a pod of a set, and tells so on the set.
 *
 * @throws Error when it is refused: to be tried again later
 */
export function createPod(
  api: ApiScope,
  set: PodSet,
  template: PodTemplateSpec,
  { wish, component }: { readonly wish: PodOverrides; readonly component: string },
): string {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const allAnnotations = { ...annotations, ...wish.annotations };
  const allFinalizers = [...(finalizers ?? []), ...(wish.finalizers ?? [])];
  const metadata = {
    ...(wish.name === undefined ? {} : { name: wish.name }),
    generateName: wish.generateName,
    namespace: set.metadata.namespace,
    labels: { ...labels, ...wish.labels },
    ...(Object.keys(allAnnotations).length === 0 ? {} : { annotations: allAnnotations }),
    ...(allFinalizers.length === 0 ? {} : { finalizers: allFinalizers }),
    ownerReferences: ownedBy(set),
  };
  const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { ...template.spec, ...wish.spec } };
  try {
    return createObject(api, "pods", pod).metadata.name ?? "";
  } catch (error) {
    const refusal = refusalOf(error);
    const message =
      wish.name === undefined ? `Error creating: ${refusal}` : failureOf(set, wish.name, refusal);
    recordEvent(api, set, { type: "Warning", reason: "FailedCreate", message, component });
    throw error;
  }
}

function failureOf({ kind, metadata }: PodSet, pod: string, refusal: string): string {
  return `Create Pod ${pod} in ${kind} ${metadata.name} failed error: ${refusal}`;
}

/** Deletes a pod of a set, as a client would. */
export function deletePod(api: ApiScope, pod: StoredObject): void {
  deleteObject(api, "pods", pod);
}
