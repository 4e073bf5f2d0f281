import type { Issue } from "../../../../errors/issue.ts";
import type { Host } from "../../../../host/host.ts";
import type { Log } from "../../../../host/log.ts";
import { resourceTypes } from "../../../../kube/resources.ts";
import type { Pod } from "../../../../kube/types.ts";
import type { KubeClient } from "../../../../kube-client/client.ts";
import { uploadsAnnotation } from "../../../../plan/uploads-annotation.ts";
import { removeDirectories, type UploadOwner, uploadTargets } from "./upload-targets.ts";

export interface UploadsRemoval {
  readonly host: Host;
  readonly owner: UploadOwner;
}

/** Parses the upload directories in the annotation of a driver's pod. */
export function uploadsOf({ metadata }: Pod): readonly string[] {
  let json: unknown;
  try {
    json = JSON.parse(metadata?.annotations?.[uploadsAnnotation] ?? "[]");
  } catch {
    return [];
  }
  const isUploadDirectory = (value: unknown): value is string =>
    typeof value === "string" && uploadDirectory.test(value) && !value.split("/").includes("..");
  return Array.isArray(json) ? json.filter(isUploadDirectory) : [];
}

/** Removes the uploads of a driver that has ended, and the annotation of its pod that lists them. */
export async function removeUploadsAtEnd(
  removal: UploadsRemoval & { readonly client: KubeClient; readonly log: Log },
  pod: Pod,
): Promise<void> {
  if (await removeAndReport(removal, pod)) await removeUploadsAnnotation(removal.client, pod);
}

/** Removes the annotation of uploads from a pod. Ignores errors, such as a missing permission or a deleted pod. */
export async function removeUploadsAnnotation(client: KubeClient, { metadata = {} }: Pod): Promise<void> {
  const { namespace = "", name = "" } = metadata;
  const patch = { metadata: { annotations: { [uploadsAnnotation]: null } } };
  await client.patch({ type: resourceTypes.pod, namespace, name, patch }).catch(() => {});
}

/** Removes the uploads of a driver and logs the result. Does not throw. @returns whether all were removed */
export async function removeAndReport(removal: UploadsRemoval & { readonly log: Log }, pod: Pod): Promise<boolean> {
  const { log } = removal;
  const left = await removeUploads(removal, pod);
  for (const { message } of left) log("WARN", "Uploads", message);
  const what = `the uploads of ${pod.metadata?.name ?? ""}: ${uploadsOf(pod).join(", ")}`;
  if (left.length === 0) log("INFO", "Uploads", `Removed ${what}`);
  return left.length === 0;
}

/** Removes the uploads of a driver. Does not throw. @returns SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE for what could not be removed */
export async function removeUploads({ host, owner }: UploadsRemoval, pod: Pod): Promise<readonly Issue[]> {
  const targets = uploadTargets(host, owner);
  try {
    return await removeDirectories(targets, uploadsOf(pod));
  } finally {
    targets.close();
  }
}

/** Directories that uploads create. Removes no others, because any account that can patch pods could add a path. */
const uploadDirectory = /\/spark-upload-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
