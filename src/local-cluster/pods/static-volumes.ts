import type { PersistentVolume, PersistentVolumeClaim } from "../../kube/types.ts";
import { compareQuantities, parseQuantity } from "../../values/quantity.ts";
import { selectorOf } from "../api/selectors/object-selector.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { isVolume } from "./stored-object.ts";

/** Claim as stored. */
export type Claim = StoredObject & PersistentVolumeClaim;
type Volume = StoredObject & PersistentVolume;

/**
 * Finds an existing volume for a claim: the one that it names, else the smallest that fits; `undefined` if there is
 * none yet.
 *
 * Source: Kubernetes, "Persistent Volumes", binding.
 */
export function volumeFor(store: Store, claim: Claim): Volume | undefined {
  const free = store
    .list("persistentvolumes")
    .filter(isVolume)
    .filter((volume) => isFree(volume, claim));
  const { volumeName = "" } = claim.spec ?? {};
  if (volumeName !== "") return free.find(({ metadata }) => metadata.name === volumeName);
  return free
    .filter((volume) => fits(volume, claim))
    .sort((a, b) => compareSizes(sizeOf(a), sizeOf(b)))
    .at(0);
}

/** Returns whether a claim requires an existing volume, so that none is provisioned for it. */
export function requiresExistingVolume({ spec = {} }: Claim): boolean {
  return spec.storageClassName === "" || (spec.volumeName ?? "") !== "";
}

/** Binds a claim and a volume to each other. */
export function bindVolume(store: Store, claim: Claim, volume: Volume): void {
  const { namespace, name } = claim.metadata;
  const { accessModes = [], capacity = {} } = volume.spec ?? {};
  store.update("persistentvolumes", undefined, volume.metadata.name, (current) => ({
    ...current,
    spec: { ...volume.spec, claimRef: referenceTo(claim) },
    status: { phase: "Bound" },
  }));
  store.update("persistentvolumeclaims", namespace, name, (current) => ({
    ...current,
    spec: { ...claim.spec, volumeName: volume.metadata.name },
    status: { ...claim.status, phase: "Bound", accessModes, capacity },
  }));
}

/** Builds a volume's reference to its claim. */
export function referenceTo({ metadata: { namespace, name, uid } }: Claim): object {
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid };
}

/**
 * Sets the phase of a volume: Available when it appears, Released when its claim is deleted. A released volume is
 * never bound again, because it holds the claim's data.
 */
export function markVolume(store: Store, volume: StoredObject, phase: "Available" | "Released"): void {
  store.update("persistentvolumes", undefined, volume.metadata.name, (current) => ({ ...current, status: { phase } }));
}

function isFree({ spec = {}, status = {} }: Volume, { metadata }: Claim): boolean {
  const { claimRef } = spec;
  if (status.phase === "Released" || status.phase === "Failed") return false;
  if (claimRef === undefined) return true;
  const isReserved = claimRef.namespace === metadata.namespace && claimRef.name === metadata.name;
  return isReserved && (claimRef.uid === undefined || claimRef.uid === metadata.uid);
}

function fits({ metadata, spec = {} }: Volume, claim: Claim): boolean {
  const claimSpec = claim.spec ?? {};
  const modes: readonly string[] = spec.accessModes ?? [];
  return (
    (spec.storageClassName ?? "") === (claimSpec.storageClassName ?? "") &&
    (spec.volumeMode ?? "Filesystem") === (claimSpec.volumeMode ?? "Filesystem") &&
    (claimSpec.accessModes ?? []).every((mode) => modes.includes(mode)) &&
    compareSizes(sizeOf({ spec }), claimSpec.resources?.requests?.["storage"]) >= 0 &&
    (claimSpec.selector === undefined || selectorOf(claimSpec.selector)(metadata.labels))
  );
}

function sizeOf({ spec = {} }: Pick<Volume, "spec">): string | undefined {
  return spec.capacity?.["storage"];
}

/** Compares two sizes; an invalid size counts as the smallest. */
function compareSizes(a = "0", b = "0"): number {
  const [one, other] = [parseQuantity(a), parseQuantity(b)];
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  return compareQuantities(one, other);
}
