import { messageOf } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { uploadsAnnotation } from "../../../plan/uploads-annotation.ts";
import { type UploadOwner, uploadTargets } from "./upload-target.ts";

/** Where file systems are found, and who hears of what could not be done. */
export interface UploadsRemoval {
  readonly host: Host;
  readonly owner: UploadOwner;
  readonly log: Log;
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
  removal: UploadsRemoval & { readonly client: KubeClient },
  pod: Pod,
): Promise<void> {
  if (await removeUploads(removal, pod)) await forgetUploads(removal.client, pod);
}

/** Takes the note of uploads from a pod, as far as we may and it is there. */
export async function forgetUploads(client: KubeClient, { metadata = {} }: Pod): Promise<void> {
  const { namespace = "", name = "" } = metadata;
  const patch = { metadata: { annotations: { [uploadsAnnotation]: null } } };
  await client.patch({ type: resourceTypes.pod, namespace, name, patch }).catch(() => {});
}

/** Removes the uploads that a driver's pod names. Never fails: what stays is told. @returns whether nothing stays */
export async function removeUploads({ host, owner, log }: UploadsRemoval, pod: Pod): Promise<boolean> {
  const folders = uploadsOf(pod);
  const targets = uploadTargets(host, owner);
  let left = 0;
  for (const folder of folders) {
    try {
      await (await targets.of(folder)).remove(folder);
    } catch (error) {
      left += 1;
      log("WARN", "Uploads", `This may be left behind: ${folder} (${messageOf(error)})`);
    }
  }
  targets.close();
  const name = pod.metadata?.name ?? "";
  if (left === 0) log("INFO", "Uploads", `Removed what was uploaded for ${name}: ${folders.join(", ")}`);
  return left === 0;
}

/** Whoever may change pods could name anything: only folders that uploads make are ever removed. */
const uploadFolder = /\/spark-upload-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
