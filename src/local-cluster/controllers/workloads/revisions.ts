import type { StatefulSetSpec, StatefulSetStatus } from "kubernetes-types/apps/v1.d.ts";
import type { PodTemplateSpec } from "../../../kube/types.ts";
import type { ApiScope } from "../../api/call.ts";
import { isObject, isSame } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import { createObject } from "../create-object.ts";
import { hashOf, withSortedKeys } from "./hash.ts";
import { ownedBy, ownObjects, type PodSet } from "./pods.ts";

/** A stored stateful set. */
export interface StatefulSetObject extends PodSet {
  readonly spec: StatefulSetSpec & {
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
  };
  readonly status?: Partial<StatefulSetStatus>;
}

/** Whether an object of the collection `statefulsets.apps` is a stateful set. */
export function isStatefulSet(object: StoredObject): object is StatefulSetObject {
  return object.kind === "StatefulSet" && isObject(object["spec"]);
}

/** Label with the revision that a pod was created from. */
export const revisionLabel = "controller-revision-hash";

/** Collection of revisions. */
export const revisions = "controllerrevisions.apps";

/** A current or earlier template of a set. */
export interface Revision {
  readonly name: string;
  readonly template: PodTemplateSpec;
}

export interface Revisions {
  /** Revision of all pods before the current update. */
  readonly current: Revision;
  /** Revision that pods are updated to. */
  readonly update: Revision;
}

/** A stored revision. */
export type StoredRevision = StoredObject & {
  readonly revision: number;
  readonly data: { readonly spec: { readonly template: PodTemplateSpec } };
};

/** Returns the revisions of a set; creates one for its current template. */
export function currentRevisions(api: ApiScope, set: StatefulSetObject): Revisions {
  const known = ownObjects(api.store, revisions, set)
    .filter(isRevision)
    .sort((a, b) => a.revision - b.revision);
  const data = { spec: { template: { ...set.spec.template, $patch: "replace" } } };
  const next = (known.at(-1)?.revision ?? 0) + 1;
  const same = known.find((revision) => isSame(revision.data, data));
  const name = same?.metadata.name ?? `${set.metadata.name}-${hashOf(data)}`;
  if (same === undefined) {
    const labels = { "controller.kubernetes.io/hash": name.slice(set.metadata.name.length + 1) };
    createRevision(api, set, { name, data, revision: next, labels });
  } else if (same !== known.at(-1)) renumber(api, same, next);
  const update = { name, template: set.spec.template };
  const last = known.find(({ metadata }) => metadata.name === set.status?.currentRevision);
  const current = last === undefined ? update : { name: last.metadata.name, template: last.data.spec.template };
  forgetOld(api, set, { known, live: [current.name, update.name] });
  return { current, update };
}

/** Whether an object is a revision with a template. */
export function isRevision(object: StoredObject): object is StoredRevision {
  return typeof object["revision"] === "number" && isObject(object["data"]) && isObject(object["data"]["spec"]);
}

/** Content of a new revision. */
interface NewRevision {
  readonly name: string;
  readonly data: object;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Creates a revision of a set's template. */
export function createRevision(
  api: ApiScope,
  set: PodSet & { readonly spec: { readonly template: PodTemplateSpec } },
  { name, labels: own, data, revision }: NewRevision,
): void {
  const labels = { ...set.spec.template.metadata?.labels, ...own };
  const { namespace, annotations } = set.metadata;
  const copied = annotations === undefined ? {} : { annotations };
  const metadata = { name, namespace, labels, ...copied, ownerReferences: ownedBy(set) };
  // Clients compare the text of the data with that of the set's template.
  const content = { data: withSortedKeys(data), revision };
  createObject(api, revisions, { apiVersion: "apps/v1", kind: "ControllerRevision", metadata, ...content });
}

/** Makes a revision the newest again when its template returns. */
export function renumber({ store }: ApiScope, { metadata }: StoredRevision, revision: number): void {
  store.update(revisions, metadata.namespace, metadata.name, (current) => ({ ...current, revision }));
}

function forgetOld(
  { store }: ApiScope,
  { spec, metadata }: StatefulSetObject,
  { known, live }: { readonly known: readonly StoredRevision[]; readonly live: readonly string[] },
): void {
  const old = known.filter((one) => !live.includes(one.metadata.name));
  const surplus = Math.max(0, old.length - (spec.revisionHistoryLimit ?? 10));
  for (const one of old.slice(0, surplus)) store.remove(revisions, metadata.namespace, one.metadata.name);
}
