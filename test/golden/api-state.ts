import type { Clock } from "../../src/host/host.ts";
import { isRecord } from "./plain-data.ts";
import type { ApiPlan, PodStep, Rule } from "./recorded-case.ts";

/** Object in the API's memory. */
export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown> & { name?: string; namespace?: string; uid?: string };
  [field: string]: unknown;
}

/** Request that the API received. */
export interface RecordedRequest {
  /** `WATCH` for a watch. */
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly text: string;
}

/** Open watch. */
export interface Watcher {
  readonly matches: (key: string, object: StoredObject) => boolean;
  readonly send: (type: string, object: unknown) => void;
  readonly end: () => void;
}

/** State of a recording API. Only the functions in this file change the store. */
export interface ApiState {
  readonly plan: ApiPlan;
  readonly clock: Clock;
  readonly store: Map<string, StoredObject>;
  readonly requests: RecordedRequest[];
  readonly watchers: Set<Watcher>;
  readonly ruleUses: Map<Rule, number>;
  revision: number;
  isPodStarted: boolean;
}

/** Path of one object, or of a list without a name. */
export interface ResourcePath {
  readonly root: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
}

/** Creates the state of an API with the objects of a plan. */
export function createApiState(plan: ApiPlan, clock: Clock): ApiState {
  const state: ApiState = {
    ...{ plan, clock, store: new Map(), requests: [], watchers: new Set(), ruleUses: new Map() },
    ...{ revision: 0, isPodStarted: false },
  };
  for (const object of plan.objects ?? []) {
    const root = object.apiVersion === "v1" ? "api/v1" : `apis/${object.apiVersion}`;
    const stored = parseObject(JSON.stringify(object));
    const { namespace, name } = stored.metadata;
    const key = keyOf({ root, namespace, plural: `${stored.kind.toLowerCase()}s`, name });
    state.store.set(key, withServerFields(state, stored, undefined));
  }
  return state;
}

/** Sets the fields that a server adds, with the next resource version. */
export function withServerFields(state: ApiState, object: StoredObject, namespace: string | undefined): StoredObject {
  state.revision += 1;
  const { metadata } = object;
  if (namespace !== undefined) metadata.namespace ??= namespace;
  metadata.uid ??= `00000000-0000-4000-8000-${String(state.revision).padStart(12, "0")}`;
  metadata["creationTimestamp"] ??= "2026-01-01T00:00:00Z";
  metadata["resourceVersion"] = String(state.revision);
  return object;
}

/** Stores an object and notifies the watchers. */
export function saveObject(state: ApiState, key: string, object: StoredObject): void {
  const type = state.store.has(key) ? "MODIFIED" : "ADDED";
  state.store.set(key, object);
  notifyWatchers(state, type, key, object);
}

/** Removes an object and notifies the watchers. */
export function removeObject(state: ApiState, key: string): void {
  const object = state.store.get(key);
  state.store.delete(key);
  if (object !== undefined) notifyWatchers(state, "DELETED", key, object);
}

function notifyWatchers(state: ApiState, type: string, key: string, object: StoredObject): void {
  for (const watcher of state.watchers) if (watcher.matches(key, object)) watcher.send(type, structuredClone(object));
}

/** Schedules the steps of the driver's pod, once. */
export function startPod(state: ApiState, key: string): void {
  if (state.isPodStarted) return;
  state.isPodStarted = true;
  let afterMs = 0;
  for (const step of state.plan.pod ?? []) {
    afterMs += step.afterMs ?? 0;
    state.clock.after(afterMs, () => applyPodStep(state, key, step));
  }
}

function applyPodStep(state: ApiState, key: string, step: PodStep): void {
  if (step.event !== undefined) for (const { send } of state.watchers) send(step.event.type, step.event.object);
  if (step.closeWatch === true) for (const { end } of [...state.watchers]) end();
  const pod = state.store.get(key);
  if (pod === undefined) return;
  if (step.status !== undefined) {
    const spec = { ...(isRecord(pod["spec"]) ? pod["spec"] : {}), ...step.spec };
    const changed = { ...structuredClone(pod), status: step.status, spec };
    saveObject(state, key, withServerFields(state, changed, undefined));
  }
  if (step.delete === true) removeObject(state, key);
}

/** Returns the objects that remain after garbage collection: those without owners, or with an existing one. */
export function remainingObjects(objects: readonly StoredObject[]): readonly StoredObject[] {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const remaining = objects.filter(({ metadata }) => {
    const owners = Array.isArray(metadata["ownerReferences"]) ? metadata["ownerReferences"] : [];
    return owners.length === 0 || owners.some((owner) => isRecord(owner) && uids.has(String(owner["uid"])));
  });
  return remaining.length === objects.length ? remaining : remainingObjects(remaining);
}

/** Returns the key of an object in the store. */
export function keyOf({ root, namespace, plural, name }: ResourcePath): string {
  return [root, namespace ?? "", plural, name ?? ""].join("|");
}

/** Whether the key of an object is at or below a path. */
export function isWithin(key: string, { root, namespace, plural, name }: ResourcePath): boolean {
  const [itemRoot, itemNamespace, itemPlural, itemName] = key.split("|");
  return (
    itemRoot === root &&
    itemPlural === plural &&
    (namespace === undefined || namespace === itemNamespace) &&
    (name === undefined || name === itemName)
  );
}

/** Parses the body of a request. */
export function parseObject(text: string): StoredObject {
  return JSON.parse(text);
}
