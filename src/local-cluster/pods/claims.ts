import type { Files } from "../../host/host.ts";
import { removeTree } from "../../host/remove-tree.ts";
import type { Store, StoredObject } from "../api/store.ts";
import {
  bindVolume,
  type Claim,
  markVolume,
  referenceTo,
  requiresExistingVolume,
  volumeFor,
} from "./static-volumes.ts";
import { isClaim, isVolume } from "./stored-object.ts";

/**
 * Binds every claim to a volume: an existing one that fits, else a new directory of this machine, regardless of the
 * storage class. The directory is deleted with the claim. A claim that names a volume, or has an empty class, waits
 * for a volume that a user creates.
 *
 * @returns a function that stops the provisioner.
 */
export function startProvisioner(store: Store, files: Files, directory: string): () => void {
  const provisionAll = () => {
    for (const claim of store.list("persistentvolumeclaims")) provision(store, files, directory, claim);
  };
  provisionAll();
  return store.subscribe(({ type, collection, object }) => {
    if (collection === "persistentvolumes" && type !== "DELETED") {
      if (isVolume(object) && (object.status?.phase ?? "Pending") === "Pending") markVolume(store, object, "Available");
      else provisionAll();
    }
    if (collection !== "persistentvolumeclaims") return;
    if (type === "DELETED") release(store, files, directory, object);
    else provision(store, files, directory, object);
  });
}

function release(store: Store, files: Files, directory: string, claim: StoredObject): void {
  store.remove("persistentvolumes", undefined, volumeName(claim));
  removeTree(files, directoryOf(directory, claim));
  const bound = isClaim(claim) ? claim.spec?.volumeName : undefined;
  const volume = bound === undefined ? undefined : store.get("persistentvolumes", undefined, bound);
  if (volume !== undefined) markVolume(store, volume, "Released");
}

/** Location of a claim's content: a directory made for the claim, or the path on the node that its volume names. */
type ClaimLocation =
  | { readonly path: string }
  | { readonly hostPath: { readonly path: string; readonly type?: string } }
  | { readonly problem: string };

/** Returns the location of a claim, or the reason why it has none. */
export function locateClaim(
  store: Store,
  directory: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): ClaimLocation {
  const claim = store.get("persistentvolumeclaims", namespace, name);
  if (claim === undefined) return { problem: `persistentvolumeclaim "${name}" not found` };
  if (!isClaim(claim) || claim.status?.phase !== "Bound") return { problem: `PVC ${namespace}/${name} is not bound` };
  const { volumeName: bound = "" } = claim.spec ?? {};
  if (bound === volumeName(claim)) return { path: directoryOf(directory, claim) };
  const volume = store.get("persistentvolumes", undefined, bound);
  if (volume === undefined || !isVolume(volume)) return { problem: `PersistentVolume "${bound}" not found` };
  const { hostPath, local } = volume.spec ?? {};
  if (hostPath !== undefined) return { hostPath };
  if (local !== undefined) return { hostPath: { path: local.path, type: "Directory" } };
  return { problem: `PersistentVolume "${bound}" is neither a hostPath nor a local volume` };
}

function provision(store: Store, files: Files, directory: string, claim: StoredObject): void {
  if (!isClaim(claim) || claim.status?.phase === "Bound" || claim.metadata.deletionTimestamp !== undefined) return;
  const volume = volumeFor(store, claim);
  if (volume !== undefined) bindVolume(store, claim, volume);
  else if (!requiresExistingVolume(claim)) makeVolume(store, files, directory, claim);
}

function makeVolume(store: Store, files: Files, directory: string, claim: Claim): void {
  const { metadata, spec = {} } = claim;
  const path = directoryOf(directory, claim);
  files.makeDirectory(path);
  files.changeMode(path, 0o777);
  const capacity = { storage: spec.resources?.requests?.["storage"] ?? "0" };
  const accessModes = spec.accessModes ?? [];
  const name = volumeName(claim);
  store.create("persistentvolumes", {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": "firesteel.dev/folder" } },
    spec: {
      accessModes,
      capacity,
      claimRef: referenceTo(claim),
      hostPath: { path, type: "Directory" },
      persistentVolumeReclaimPolicy: "Delete",
      ...(spec.storageClassName === undefined ? {} : { storageClassName: spec.storageClassName }),
      volumeMode: spec.volumeMode ?? "Filesystem",
    },
    status: { phase: "Bound" },
  });
  store.update("persistentvolumeclaims", metadata.namespace, metadata.name, (current) => ({
    ...current,
    spec: { ...spec, volumeName: name },
    status: { ...claim.status, phase: "Bound", accessModes, capacity },
  }));
}

function volumeName({ metadata }: StoredObject): string {
  return `pvc-${metadata.uid}`;
}

function directoryOf(directory: string, { metadata }: StoredObject): string {
  return `${directory}/${metadata.uid}`;
}
