import type { Behaviors } from "../../../conf/behaviors.ts";
import { messageOf, submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { showProgress } from "../../../host/progress.ts";
import type { Upload } from "../../../plan/uploads.ts";
import { withFurtherIssues } from "../create/undo-creations.ts";
import { removeDirectories, type UploadOwner, type UploadTargets, uploadTargets } from "./uploads/upload-targets.ts";

export interface StageCall {
  readonly host: Host;
  readonly log: Log;
  readonly uploads: readonly Upload[];
  readonly owner: UploadOwner;
  readonly behaviors: Pick<Behaviors, "failedUploads">;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Uploads the local dependencies of a submission sequentially, then calls `submission`. If either fails, removes the uploads.
 * Each upload that cannot be removed becomes a further issue.
 *
 * @throws SUBMIT_ERR_UPLOAD_FAILED, SUBMIT_ERR_INTERRUPTED, what `submission` throws; each optionally followed by
 *   SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE
 */
export async function withStagedDependencies<T>(call: StageCall, submission: () => Promise<T>): Promise<T> {
  const started: Upload[] = [];
  const targets = uploadTargets(call.host, call.owner);
  try {
    for (const upload of call.uploads) {
      if (call.signal?.aborted === true) throw submitError("SUBMIT_ERR_INTERRUPTED", {});
      started.push(upload);
      await uploadOne(call, targets, upload);
    }
    return await submission();
  } catch (error) {
    if (call.behaviors.failedUploads === "spark") throw error;
    const directories = started.map(({ directory }) => directory);
    throw withFurtherIssues(error, await removeDirectories(targets, directories));
  } finally {
    targets.close();
  }
}

async function uploadOne({ host, log, signal }: StageCall, targets: UploadTargets, upload: Upload): Promise<void> {
  const { path, directory, name, sizeBytes } = upload;
  const transfer = showProgress(host).transfer(name);
  // Spark's message. Source: Spark KubernetesUtils.uploadFileUri.
  log("INFO", "KubernetesUtils", `Uploading file: ${path} to dest: ${directory}/${name}...`);
  try {
    const target = await targets.of(directory);
    const totalBytes = sizeBytes === 0 ? undefined : sizeBytes;
    await target.upload(upload, { signal, onProgress: (bytes) => transfer.update(bytes, totalBytes) });
  } catch (error) {
    if (signal?.aborted === true) throw submitError("SUBMIT_ERR_INTERRUPTED", {});
    throw submitError("SUBMIT_ERR_UPLOAD_FAILED", { path, reason: messageOf(error) }, { cause: error });
  } finally {
    transfer.end();
  }
  if (signal?.aborted === true) throw submitError("SUBMIT_ERR_INTERRUPTED", {});
}
