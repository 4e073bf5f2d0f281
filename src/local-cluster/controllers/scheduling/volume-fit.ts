import type { NodeSelector } from "kubernetes-types/core/v1.d.ts";
import { isArray, isObject } from "../../api/json.ts";
import type { Store, StoredObject } from "../../api/store.ts";
import { isClaim, type StoredPod } from "../../pods/stored-pod.ts";
import { selectsNode } from "./node-requirements.ts";
import {
  type NodeRejection,
  resolvable,
  type SchedulingView,
  type StoredNode,
  unresolvable,
} from "./scheduling-view.ts";

/** Returns the scheduler's message for claims that make a pod unschedulable on every node. */
export function claimProblem(store: Store, pod: StoredPod): string | undefined {
  const names = claimNames(pod);
  const claims = names.map((name) => store.get("persistentvolumeclaims", pod.metadata.namespace, name));
  const missing = names.find((_, index) => claims[index] === undefined);
  if (missing !== undefined) return `persistentvolumeclaim "${missing}" not found`;
  const known = claims.filter((claim) => claim !== undefined).filter(isClaim);
  const terminating = known.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (terminating !== undefined) return `persistentvolumeclaim "${terminating.metadata.name}" is being deleted`;
  const isUnbound = known.some(({ status }) => status?.phase !== "Bound");
  return isUnbound ? "pod has unbound immediate PersistentVolumeClaims" : undefined;
}

/** Explains why the volumes of a pod prevent its use of a node. */
export function volumeFailure(
  { store, placed }: SchedulingView,
  pod: StoredPod,
  node: StoredNode,
): NodeRejection | undefined {
  const { namespace } = pod.metadata;
  const names = claimNames(pod);
  const claims = names.flatMap((name) => store.get("persistentvolumeclaims", namespace, name) ?? []);
  const forOnePod = claims.filter(isForOnePod);
  const isUsed = ({ metadata }: StoredObject) =>
    [...placed.all()].some(
      (other) => other.metadata.namespace === namespace && claimNames(other).includes(metadata.name),
    );
  if (forOnePod.some(isUsed)) {
    return resolvable(
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    );
  }
  const volumes = claims.map((claim) => store.get("persistentvolumes", undefined, volumeOf(claim)));
  const reasons = [
    ...(volumes.some((volume) => volume !== undefined && !isReachable(volume, node))
      ? ["node(s) didn't match PersistentVolume's node affinity"]
      : []),
    ...(volumes.includes(undefined)
      ? ["node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"]
      : []),
  ];
  return reasons.length === 0 ? undefined : unresolvable(...reasons);
}

function claimNames({ metadata, spec }: StoredPod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim, ephemeral }) => {
    if (claim !== undefined) return [claim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}

function specOf({ spec }: StoredObject): Readonly<Record<string, unknown>> {
  return isObject(spec) ? spec : {};
}

function isForOnePod(claim: StoredObject): boolean {
  const modes = specOf(claim)["accessModes"];
  return isArray(modes) && modes.includes("ReadWriteOncePod");
}

function volumeOf(claim: StoredObject): string {
  return String(specOf(claim)["volumeName"] ?? "");
}

function isReachable(volume: StoredObject, node: StoredNode): boolean {
  const affinity = specOf(volume)["nodeAffinity"];
  const required = isObject(affinity) ? affinity["required"] : undefined;
  return !isSelector(required) || selectsNode(required, node);
}

function isSelector(value: unknown): value is NodeSelector {
  return isObject(value) && isArray(value["nodeSelectorTerms"]);
}
