import type { ApiScope } from "../../api/call.ts";
import { isSame } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import { deleteObject } from "../controller.ts";
import { createObject } from "../create-object.ts";
import { claimObjects } from "./adoption.ts";
import { allowance, type DeploymentObject, isDeployment } from "./deployment.ts";
import { resized } from "./deployment-size.ts";
import { updateDeploymentStatus } from "./deployment-status.ts";
import { hashOf } from "./hash.ts";
import { isTerminated, isTerminating, ownedBy, ownObjects, podSetController } from "./pods.ts";
import { isReplicaSet, type ReplicaSetObject } from "./replica-sets.ts";

const component = "deployment-controller";
const collection = "replicasets.apps";
const hashLabel = "pod-template-hash";
const revisionOf = "deployment.kubernetes.io/revision";

/** Rolls deployments out to their current template: a new replica set grows while old ones shrink. */
export const startDeploymentController = podSetController<DeploymentObject>({
  collection: "deployments.apps",
  kind: "Deployment",
  dependents: collection,
  isOwn: isDeployment,
  reconcile(api, deployment, requeue) {
    claimObjects(api, deployment, { collection });
    if (!isTerminating(deployment)) roll(api, deployment);
    const { current, old } = setsOf(api, deployment);
    const waitMs = updateDeploymentStatus(api, deployment, { current, old });
    if (waitMs !== undefined) requeue(waitMs);
  },
});

interface Sets {
  /** The set of the current template. */
  readonly current: ReplicaSetObject | undefined;
  /** Sets of older templates, the oldest first. */
  readonly old: readonly ReplicaSetObject[];
}

function setsOf({ store }: ApiScope, deployment: DeploymentObject): Sets {
  const sets = ownObjects(store, collection, deployment)
    .filter(isReplicaSet)
    .sort((a, b) => Number(revisionNumber(a) - revisionNumber(b)));
  const current = sets.find((set) => isSame(plainTemplate(set), plainTemplate(deployment)));
  return { current, old: sets.filter((set) => set !== current) };
}

function plainTemplate({ spec }: ReplicaSetObject | DeploymentObject): object {
  const { metadata, ...rest } = spec.template ?? {};
  const { labels, ...others } = metadata ?? {};
  const { [hashLabel]: _, ...own } = labels ?? {};
  return { ...rest, metadata: { ...others, labels: own } };
}

/** Returns a revision, which has 64 bits; 0 for other annotations. */
function revisionNumber({ metadata }: StoredObject): bigint {
  const text = metadata.annotations?.[revisionOf] ?? "";
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

function highestRevision(sets: readonly StoredObject[]): bigint {
  return sets.map(revisionNumber).reduce((highest, revision) => (revision > highest ? revision : highest), 0n);
}

function roll(api: ApiScope, deployment: DeploymentObject): void {
  const { spec } = deployment;
  const before = setsOf(api, deployment);
  if (spec.paused === true || isResized(deployment, before))
    for (const [set, replicas] of resized(deployment, setsOfAll(before))) scale(api, deployment, set, replicas);
  if (spec.paused === true) return;
  const { current, old } = setsOf(api, deployment);
  const isRecreated = spec.strategy?.type === "Recreate";
  if (isRecreated) {
    for (const set of old) scale(api, deployment, set, 0);
    if (old.some((set) => ownObjects(api.store, "pods", set).some((pod) => !isTerminated(pod)))) return;
  }
  const grown = current ?? createSet(api, deployment, old);
  numberRevision(api, deployment, { current: grown, old });
  if (isRecreated) scale(api, deployment, grown, spec.replicas ?? 1);
  else balance(api, deployment);
  forgetOld(api, deployment);
}

function createSet(api: ApiScope, deployment: DeploymentObject, old: readonly ReplicaSetObject[]): ReplicaSetObject {
  const { spec, metadata } = deployment;
  const hash = hashOf(plainTemplate(deployment));
  const labels = { ...spec.template.metadata?.labels, [hashLabel]: hash };
  const revision = highestRevision(old) + 1n;
  const name = `${metadata.name}-${hash}`;
  const replicas =
    spec.strategy?.type === "Recreate" ? (spec.replicas ?? 1) : maxSizeOf(deployment, { current: 0, old });
  createObject(api, collection, {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...{ name, namespace: metadata.namespace, labels },
      annotations: { ...ownAnnotations(deployment), ...sizes(deployment), [revisionOf]: String(revision) },
      ownerReferences: ownedBy(deployment),
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [hashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  });
  if (replicas > 0) recordScaling(api, deployment, `Scaled up replica set ${name} from 0 to ${replicas}`);
  const made = api.store.get(collection, metadata.namespace, name);
  if (made === undefined || !isReplicaSet(made))
    throw new Error(`The replica set ${name} was deleted during its creation.`);
  return made;
}

const excludedAnnotations: readonly string[] = [
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionOf,
  "deployment.kubernetes.io/revision-history",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
];

function ownAnnotations({ metadata }: DeploymentObject): Record<string, string> {
  const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => !excludedAnnotations.includes(name));
  return Object.fromEntries(own);
}

function sizes(deployment: DeploymentObject): Record<string, string> {
  const replicas = deployment.spec.replicas ?? 1;
  return {
    "deployment.kubernetes.io/desired-replicas": String(replicas),
    "deployment.kubernetes.io/max-replicas": String(replicas + allowance(deployment).surge),
  };
}

function setsOfAll({ current, old }: Sets): readonly ReplicaSetObject[] {
  return current === undefined ? old : [...old, current];
}

/** Whether the deployment's replicas differ from those that its sets were scaled for. */
function isResized(deployment: DeploymentObject, sets: Sets): boolean {
  const desired = String(deployment.spec.replicas ?? 1);
  return setsOfAll(sets).some(
    ({ spec, metadata }) =>
      (spec.replicas ?? 0) > 0 && metadata.annotations?.["deployment.kubernetes.io/desired-replicas"] !== desired,
  );
}

function recordScaling(api: ApiScope, deployment: DeploymentObject, message: string): void {
  api.events.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", message, component });
}

function scale(api: ApiScope, deployment: DeploymentObject, set: ReplicaSetObject, replicas: number): void {
  const before = set.spec.replicas ?? 1;
  const { namespace, name } = set.metadata;
  api.store.update(collection, namespace, name, (current) => {
    const { generation = 0, annotations } = current.metadata;
    const metadata = { ...current.metadata, annotations: { ...annotations, ...sizes(deployment) } };
    if (before === replicas) return { ...current, metadata };
    return { ...current, metadata: { ...metadata, generation: generation + 1 }, spec: { ...set.spec, replicas } };
  });
  if (before === replicas) return;
  const direction = replicas > before ? "up" : "down";
  recordScaling(api, deployment, `Scaled ${direction} replica set ${name} from ${before} to ${replicas}`);
}

/** Calculates the maximum size of the new set. */
function maxSizeOf(
  deployment: DeploymentObject,
  { current, old }: { readonly current: number; readonly old: readonly ReplicaSetObject[] },
): number {
  const replicas = deployment.spec.replicas ?? 1;
  const others = old.reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
  const remaining = replicas + allowance(deployment).surge - others;
  return Math.max(current, Math.min(replicas, remaining));
}

/** Continues a rolling update within maxSurge and maxUnavailable. */
function balance(api: ApiScope, deployment: DeploymentObject): void {
  const { current, old } = setsOf(api, deployment);
  if (current === undefined) return;
  const replicas = deployment.spec.replicas ?? 1;
  const size = current.spec.replicas ?? 0;
  const desired = size > replicas ? replicas : maxSizeOf(deployment, { current: size, old });
  scale(api, deployment, current, desired);
  const minAvailable = replicas - allowance(deployment).unavailable;
  const all = [current, ...old].reduce((sum, set) => sum + (set.spec.replicas ?? 0), desired - size);
  const serving = [current, ...old].reduce((sum, set) => sum + availableOf(set), 0);
  const sizesNow = new Map(old.map((set) => [set, set.spec.replicas ?? 0]));
  const shrink = (count: number, spareOf: (set: ReplicaSetObject) => number) => {
    let rest = Math.max(0, count);
    for (const [set, now] of sizesNow) {
      const less = Math.min(rest, now, spareOf(set));
      sizesNow.set(set, now - less);
      rest -= less;
    }
  };
  const surplus = all - minAvailable - (desired - availableOf(current));
  // Otherwise the sets' status may still count pods that are being removed.
  if (surplus <= 0) return;
  // Remove unavailable pods first, whichever set owns them.
  shrink(surplus, idleOf);
  shrink(serving - minAvailable, availableOf);
  for (const [set, now] of sizesNow) if (now !== set.spec.replicas) scale(api, deployment, set, now);
}

function availableOf({ status }: ReplicaSetObject): number {
  return status?.availableReplicas ?? 0;
}

function idleOf(set: ReplicaSetObject): number {
  return Math.max(0, (set.spec.replicas ?? 0) - availableOf(set));
}

/** Sets the revision of the current set to the highest, and copies it to the deployment. */
function numberRevision(
  { store }: ApiScope,
  { metadata }: DeploymentObject,
  { current, old }: { readonly current: ReplicaSetObject; readonly old: readonly ReplicaSetObject[] },
): void {
  const newest = highestRevision(old);
  const own = revisionNumber(current);
  const revision = String(own > newest ? own : newest + 1n);
  const numbered = (object: StoredObject) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [revisionOf]: revision } },
  });
  store.update(collection, metadata.namespace, current.metadata.name, numbered);
  store.update("deployments.apps", metadata.namespace, metadata.name, numbered);
}

function forgetOld(api: ApiScope, deployment: DeploymentObject): void {
  const empty = setsOf(api, deployment).old.filter(
    (set) => set.spec.replicas === 0 && (set.status?.replicas ?? 0) === 0 && !isTerminating(set),
  );
  const surplus = Math.max(0, empty.length - (deployment.spec.revisionHistoryLimit ?? 10));
  for (const set of empty.slice(0, surplus)) deleteObject(api, collection, set);
}
