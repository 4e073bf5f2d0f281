import type { ApiScope } from "../../../api/call.ts";
import { isSame } from "../../../api/json.ts";
import type { StoredPod } from "../../../pods/stored-object.ts";
import { claimObjects } from "../adoption.ts";
import { hashOf } from "../hash.ts";
import { createRevision, isRevision, renumber, revisionLabel, revisions, type StoredRevision } from "../revisions.ts";
import type { DaemonSetObject } from "./daemon-set-object.ts";

/** Returns the hash of the current template, which its pods have as label. Creates its revision if it is new. */
export function currentHash(api: ApiScope, set: DaemonSetObject): string {
  const known = revisionsOf(api, set);
  const data = { spec: { template: { ...set.spec.template, $patch: "replace" } } };
  const same = known.findLast((revision) => isSame(revision.data, data));
  const next = Math.max(0, ...known.filter((one) => one !== same).map(({ revision }) => revision)) + 1;
  if (same !== undefined) {
    if (same.revision < next) renumber(api, same, next);
    return same.metadata.labels?.[revisionLabel] ?? same.metadata.name;
  }
  const hash = hashOf(set.spec.template);
  const name = `${set.metadata.name}-${hash}`;
  createRevision(api, set, { name, data, revision: next, labels: { [revisionLabel]: hash } });
  return hash;
}

function revisionsOf(api: ApiScope, set: DaemonSetObject): readonly StoredRevision[] {
  return claimObjects(api, set, { collection: revisions })
    .filter(isRevision)
    .sort((a, b) => a.revision - b.revision);
}

/** Deletes the oldest revisions that no pod has. */
export function forgetOldRevisions(api: ApiScope, set: DaemonSetObject, pods: readonly StoredPod[]): void {
  const hash = currentHash(api, set);
  const old = revisionsOf(api, set).filter(({ metadata }) => metadata.labels?.[revisionLabel] !== hash);
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel]));
  const unused = old.filter(({ metadata }) => !live.has(metadata.labels?.[revisionLabel]));
  const surplus = Math.max(0, old.length - (set.spec.revisionHistoryLimit ?? 10));
  for (const { metadata } of unused.slice(0, surplus)) api.store.remove(revisions, metadata.namespace, metadata.name);
}
