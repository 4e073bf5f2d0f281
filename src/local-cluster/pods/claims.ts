import type { Files } from "../../host/host.ts";
import { removeTree } from "../../host/remove-tree.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { isClaim } from "./stored-pod.ts";

/**
 * Gives every claim a folder of this machine, whatever its storage class: a volume appears, the claim is Bound, and
 * the folder goes with the claim.
 *
 * @returns how to stop.
 */
export function startProvisioner(store: Store, files: Files, directory: string): () => void {
  for (const claim of store.list("persistentvolumeclaims")) provision(store, files, directory, claim);
  return store.subscribe(({ type, collection, object }) => {
    if (collection !== "persistentvolumeclaims") return;
    if (type === "DELETED") {
      store.remove("persistentvolumes", undefined, volumeName(object));
      removeTree(files, folderOf(directory, object));
    } else {
      provision(store, files, directory, object);
    }
  });
}

/** The folder of a claim, or why there is none. */
export function claimFolder(
  store: Store,
  directory: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): { readonly path: string } | { readonly problem: string } {
  const claim = store.get("persistentvolumeclaims", namespace, name);
  if (claim === undefined) return { problem: `persistentvolumeclaim "${name}" not found` };
  if (!isClaim(claim) || claim.status?.phase !== "Bound")
    return { problem: `PVC ${namespace}/${name} is not bound` };
  return { path: folderOf(directory, claim) };
}

function provision(store: Store, files: Files, directory: string, claim: StoredObject): void {
  if (!isClaim(claim) || claim.status?.phase === "Bound" || claim.metadata.deletionTimestamp !== undefined)
    return;
  const { metadata, spec = {} } = claim;
  const path = folderOf(directory, claim);
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
      claimRef: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        namespace: metadata.namespace,
        name: metadata.name,
        uid: metadata.uid,
      },
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

function folderOf(directory: string, { metadata }: StoredObject): string {
  return `${directory}/${metadata.uid}`;
}
