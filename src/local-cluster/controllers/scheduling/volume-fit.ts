import { selectsNode } from "../../../kube/node-requirements.ts";
import type { Store, StoredObject } from "../../api/store.ts";
import { isClaim, isVolume, type StoredNode, type StoredPod } from "../../pods/stored-object.ts";
import { type NodeRejection, resolvable, type SchedulingView, unresolvable } from "./scheduling-view.ts";

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
  const claims = claimNames(pod)
    .flatMap((name) => store.get("persistentvolumeclaims", namespace, name) ?? [])
    .filter(isClaim);
  const isUsed = ({ metadata }: StoredObject) =>
    [...placed.all()].some(
      (other) => other.metadata.namespace === namespace && claimNames(other).includes(metadata.name),
    );
  if (claims.some((claim) => claim.spec?.accessModes?.includes("ReadWriteOncePod") === true && isUsed(claim))) {
    return resolvable(
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    );
  }
  const volumes = claims.map(({ spec }) => store.get("persistentvolumes", undefined, spec?.volumeName ?? ""));
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

function isReachable(volume: StoredObject, node: StoredNode): boolean {
  const required = isVolume(volume) ? volume.spec?.nodeAffinity?.required : undefined;
  return required === undefined || selectsNode(required, node);
}
