import type { Issue } from "../../../../errors/issue.ts";
import type { Host } from "../../../../host/host.ts";
import type { Log } from "../../../../host/log.ts";
import { resourceTypes } from "../../../../kube/resources.ts";
import type { Pod } from "../../../../kube/types.ts";
import type { KubeClient } from "../../../../kube-client/client.ts";
import { uploadsAnnotation } from "../../../../plan/uploads-annotation.ts";
import { removeFolders } from "./remove-directories.ts";
import { type UploadOwner, uploadTargets } from "./upload-targets.ts";

/** Where file systems are found. */
export interface UploadsRemoval {
  readonly host: Host;
  readonly owner: UploadOwner;
}

/** The folders that a driver's pod names. */
export function uploadsOf({ metadata }: Pod): readonly string[] {
  let json: unknown;
  try {
    json = JSON.parse(metadata?.annotations?.[uploadsAnnotation] ?? "[]");
  } catch {
    return [];
  }
  const isFolder = (value: unknown): value is string =>
    typeof value === "string" && uploadFolder.test(value) && !value.split("/").includes("..");
  return Array.isArray(json) ? json.filter(isFolder) : [];
}

/** Removes the uploads of a driver that has ended, and notes on its pod that they are gone. */
export async function removeUploadsAtEnd(
  removal: UploadsRemoval & { readonly client: KubeClient; readonly log: Log },
  pod: Pod,
): Promise<void> {
  if (await removeAndTell(removal, pod)) await forgetUploads(removal.client, pod);
}

/** Takes the note of uploads from a pod, as far as we may and it is there. */
export async function forgetUploads(client: KubeClient, { metadata = {} }: Pod): Promise<void> {
  const { namespace = "", name = "" } = metadata;
  const patch = { metadata: { annotations: { [uploadsAnnotation]: null } } };
  await client.patch({ type: resourceTypes.pod, namespace, name, patch }).catch(() => {});
}

/** Removes the uploads that a driver's pod names, and tells how that went. Never fails. @returns whether nothing stays */
export async function removeAndTell(
  removal: UploadsRemoval & { readonly log: Log },
  pod: Pod,
): Promise<boolean> {
  const { log } = removal;
  const left = await removeUploads(removal, pod);
  for (const { message } of left) log("WARN", "Uploads", message);
  const what = `what was uploaded for ${pod.metadata?.name ?? ""}: ${uploadsOf(pod).join(", ")}`;
  if (left.length === 0) log("INFO", "Uploads", `Removed ${what}`);
  return left.length === 0;
}

/** Removes the uploads that a driver's pod names. Never fails. @returns SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE for what stays */
export async function removeUploads({ host, owner }: UploadsRemoval, pod: Pod): Promise<readonly Issue[]> {
  const targets = uploadTargets(host, owner);
  try {
    return await removeFolders(targets, uploadsOf(pod));
  } finally {
    targets.close();
  }
}

/** Whoever may change pods could name anything: only folders that uploads make are ever removed. */
const uploadFolder = /\/spark-upload-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
