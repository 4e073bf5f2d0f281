import type { StoredPod } from "../../../pods/stored-object.ts";
import { isTerminating, removePod } from "../pods.ts";
import { createDaemonPod, isUpdated } from "./daemon-pods.ts";
import { allowance, component } from "./daemon-set-object.ts";
import { type DaemonNode, type DaemonSync, daemonNodes, isPodAvailable } from "./daemon-sync.ts";

/** The pod of the current template and that of an earlier one on a node. */
interface PodPair {
  readonly node: DaemonNode;
  readonly updated: StoredPod | undefined;
  readonly old: StoredPod | undefined;
}

/** Replaces pods of earlier templates within maxSurge and maxUnavailable. */
export function rollOut(sync: DaemonSync): void {
  const nodes = daemonNodes(sync).filter(({ shouldRun, pods }) => shouldRun || pods.length > 0);
  const desired = nodes.filter(({ shouldRun }) => shouldRun).length;
  const { surge, unavailable } = allowance(sync.set, desired);
  const pairs = nodes.map((node) => pairOn(sync, node));
  if (surge === 0) replaceInPlace(sync, pairs, unavailable);
  else replaceWithSurge(sync, pairs, { surge, desired });
}

/** Returns the pods of a node; `undefined` if it has several of one kind, which are removed first. */
function pairOn({ set, hash }: DaemonSync, node: DaemonNode): PodPair | undefined {
  const pods = node.pods.filter((pod) => !isTerminating(pod));
  const updated = pods.filter((pod) => isUpdated(pod, set, hash));
  const old = pods.filter((pod) => !updated.includes(pod));
  return updated.length > 1 || old.length > 1 ? undefined : { node, updated: updated[0], old: old[0] };
}

/** Deletes old pods, unavailable ones first; their successors are created when they are gone. */
function replaceInPlace(sync: DaemonSync, pairs: readonly (PodPair | undefined)[], maxUnavailable: number): void {
  const { api, set } = sync;
  const unavailable: StoredPod[] = [];
  const available: StoredPod[] = [];
  let unavailableNodes = 0;
  for (const pair of pairs) {
    const { updated, old } = pair ?? {};
    const isReplaceable = old !== undefined && updated === undefined;
    const isServing = isReplaceable || (old === undefined && updated !== undefined);
    const pod = isServing ? (old ?? updated) : undefined;
    const isUp = pod !== undefined && isPodAvailable(sync, pod);
    if (!isUp) unavailableNodes += 1;
    if (isReplaceable) (isUp ? available : unavailable).push(old);
  }
  const allowed = Math.max(0, maxUnavailable - unavailableNodes);
  for (const pod of [...unavailable, ...available.slice(0, allowed)]) removePod(api, set, pod, component);
}

/** Creates new pods beside old ones, and deletes old ones when the new ones are available. */
function replaceWithSurge(
  sync: DaemonSync,
  pairs: readonly (PodPair | undefined)[],
  { surge, desired }: { readonly surge: number; readonly desired: number },
): void {
  const { api, set, hash } = sync;
  const known = pairs.filter((pair) => pair !== undefined);
  const isUp = (pod: StoredPod | undefined) => pod !== undefined && isPodAvailable(sync, pod);
  const availableNodes = known.filter(({ old, updated }) => isUp(old ?? updated)).length;
  const waiting = known.filter(({ old, updated }) => old !== undefined && updated !== undefined && !isUp(updated));
  const used = pairs.length - known.length + waiting.length;
  const replaced = known.filter(({ old, updated }) => old !== undefined && isUp(updated));
  const single = known.filter(({ old, updated }) => old !== undefined && updated === undefined);
  const removable = single.filter(({ node, old }) => !node.shouldRun && !isUp(old));
  const leaving = single.filter(({ node, old }) => !node.shouldRun && isUp(old));
  const urgent = single.filter(({ node, old }) => node.shouldRun && !isUp(old));
  const candidates = single.filter(({ node, old }) => node.shouldRun && isUp(old));
  const spare = Math.max(0, availableNodes - desired);
  for (const { old } of [...replaced, ...removable, ...leaving.slice(0, spare)])
    if (old !== undefined) removePod(api, set, old, component);
  for (const { node } of [...urgent, ...candidates.slice(0, Math.max(0, surge - used))])
    createDaemonPod(api, set, { node: node.name, hash });
}
