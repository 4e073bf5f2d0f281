import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { OwnerReference, PodSpec, PodTemplateSpec } from "../../../kube/types.ts";
import type { ApiScope } from "../../api/call.ts";
import { isArray, isObject } from "../../api/json.ts";
import { selectorOf } from "../../api/selectors/object-selector.ts";
import type { Store, StoredObject, StoreEvent } from "../../api/store.ts";
import { type Controller, deleteObject, findByKey, keyOf, startReconciler } from "../controller.ts";
import { createObject, rejectionMessage } from "../create-object.ts";

/** A set of pods: a stateful set, a replica set, a job. */
export interface PodSet extends StoredObject {
  readonly metadata: StoredObject["metadata"] & { readonly namespace: string };
}

/** Creates a controller that reconciles a set when it or an object that it owns changes. `requeue` schedules another call. */
export function podSetController<T extends PodSet>(options: {
  readonly collection: string;
  readonly kind: string;
  /** Collection of the objects that it owns. */
  readonly dependents: string;
  readonly isOwn: (object: StoredObject) => object is T;
  readonly reconcile: (api: ApiScope, set: T, requeue: (delayMs: number) => void) => void;
  /** Called when a set is deleted, and when an object with finalizers changes that no set selects or controls. */
  readonly release?: (api: ApiScope, key: string) => void;
}): Controller {
  const { collection, kind, dependents, isOwn, reconcile, release } = options;
  return (api) =>
    startReconciler(api, {
      observe(event, add) {
        const adopters = observeSets(api, { collection, kind, dependents }, event, add);
        const isHeld = (event.object.metadata.finalizers ?? []).length > 0;
        if (adopters === 0 && isHeld && release !== undefined) add(`${event.object.metadata.namespace}/`);
      },
      work(key, add) {
        const set = findByKey(api.store, collection, key);
        if (set !== undefined && isOwn(set)) reconcile(api, set, (delayMs) => add(key, delayMs));
        else release?.(api, key);
      },
    });
}

/** Names of a kind of sets. */
interface SetKind {
  readonly collection: string;
  readonly kind: string;
  readonly dependents: string;
}

/**
 * Adds the sets that a change concerns: the changed set, the owner of a changed object, and the sets that may adopt it.
 *
 * @returns the number of sets that select an object without a controller; `undefined` for other changes
 */
export function observeSets(
  api: ApiScope,
  { collection, kind, dependents }: SetKind,
  event: StoreEvent,
  add: (key: string) => void,
): number | undefined {
  const { namespace } = event.object.metadata;
  if (event.collection === collection) add(keyOf(event.object));
  if (event.collection !== dependents) return undefined;
  for (const object of [event.object, event.previous]) {
    const owner = object && controllerOf(object);
    if (owner?.kind === kind) add(`${namespace}/${owner.name}`);
  }
  if (event.type === "DELETED" || controllerOf(event.object) !== undefined) return undefined;
  const adopters = api.store.list(collection, namespace).filter((set) => selectorOfSet(set)(event.object));
  for (const set of adopters) add(keyOf(set));
  return adopters.length;
}

/** Returns whether a set selects an object; a set without a selector selects nothing. */
export function selectorOfSet({ spec }: StoredObject): (object: StoredObject) => boolean {
  const selector = isObject(spec) ? spec["selector"] : undefined;
  if (!isObject(selector)) return () => false;
  const isMatch = selectorOf(selector);
  return ({ metadata }) => isMatch(metadata.labels);
}

/** Returns the controller owner of an object. */
export function controllerOf({ metadata }: StoredObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Builds the owner references of a set's objects. */
export function ownedBy({ apiVersion, kind, metadata }: StoredObject): OwnerReference[] {
  const { name, uid } = metadata;
  return [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

/** Returns the objects of a collection that a set controls. */
export function ownObjects(store: Store, collection: string, { metadata }: PodSet): readonly StoredObject[] {
  return store.list(collection, metadata.namespace).filter((object) => controllerOf(object)?.uid === metadata.uid);
}

/** Returns the phase of a pod, or an empty string. */
export function phaseOf({ status }: StoredObject): string {
  const phase = isObject(status) ? status["phase"] : undefined;
  return typeof phase === "string" ? phase : "";
}

/** Whether a pod has finished, successfully or not. */
export function isTerminated(pod: StoredObject): boolean {
  return isFinalPhase(phaseOf(pod));
}

/** Whether deletionTimestamp is set. */
export function isTerminating({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether a pod is neither finished nor terminating. */
export function isActive(pod: StoredObject): boolean {
  return !isTerminated(pod) && !isTerminating(pod);
}

/** Returns when a pod became ready, in ms since 1970; `undefined` if it is not ready. */
export function readySince({ status, metadata }: StoredObject): number | undefined {
  const conditions = isObject(status) && isArray(status["conditions"]) ? status["conditions"] : [];
  const ready = conditions.find(
    (condition) => isObject(condition) && condition["type"] === "Ready" && condition["status"] === "True",
  );
  if (!isObject(ready)) return undefined;
  const since = ready["lastTransitionTime"] ?? metadata.creationTimestamp;
  return typeof since === "string" ? Date.parse(since) : 0;
}

/** Whether a pod has been ready for at least minReadySeconds. */
export function isAvailable(pod: StoredObject, minReadySeconds: number, now: number): boolean {
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Fields of a pod that differ from its set's template. */
export interface PodOverrides {
  /** Name; overrides `generateName`. */
  readonly name?: string;
  readonly generateName: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly spec?: Partial<PodSpec>;
}

/**
 * Creates a pod of a set. Records an event of the set on failure.
 *
 * @throws Error if the pod is rejected; the caller retries
 */
export function createPod(
  api: ApiScope,
  set: PodSet,
  template: PodTemplateSpec,
  { overrides, component }: { readonly overrides: PodOverrides; readonly component: string },
): string {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const allAnnotations = { ...annotations, ...overrides.annotations };
  const allFinalizers = [...(finalizers ?? []), ...(overrides.finalizers ?? [])];
  const metadata = {
    ...(overrides.name === undefined ? {} : { name: overrides.name }),
    generateName: overrides.generateName,
    namespace: set.metadata.namespace,
    labels: { ...labels, ...overrides.labels },
    ...(Object.keys(allAnnotations).length === 0 ? {} : { annotations: allAnnotations }),
    ...(allFinalizers.length === 0 ? {} : { finalizers: allFinalizers }),
    ownerReferences: ownedBy(set),
  };
  const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { ...template.spec, ...overrides.spec } };
  try {
    return createObject(api, "pods", pod).metadata.name ?? "";
  } catch (error) {
    const what = overrides.name === undefined ? "Error creating" : failedCreation(set, overrides.name);
    const message = `${what}: ${rejectionMessage(error)}`;
    api.events.record(set, { type: "Warning", reason: "FailedCreate", message, component });
    throw error;
  }
}

/** Creates a pod of a set without ordinals, and records an event. */
export function addPod(...[api, set, template, options]: Parameters<typeof createPod>): void {
  const message = `Created pod: ${createPod(api, set, template, options)}`;
  api.events.record(set, { type: "Normal", reason: "SuccessfulCreate", message, component: options.component });
}

/** Deletes a pod of a set without ordinals, and records an event. */
export function removePod(api: ApiScope, set: PodSet, pod: StoredObject, component: string): void {
  deleteObject(api, "pods", pod);
  const message = `Deleted pod: ${pod.metadata.name}`;
  api.events.record(set, { type: "Normal", reason: "SuccessfulDelete", message, component });
}

function failedCreation({ kind, metadata }: PodSet, pod: string): string {
  return `Create Pod ${pod} in ${kind} ${metadata.name} failed error`;
}
