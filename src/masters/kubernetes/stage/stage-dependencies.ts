import { posix } from "node:path";
import type { Behaviors } from "../../../conf/behaviors.ts";
import { isSubmitError, messageOf, submitError } from "../../../errors/submit-error.ts";
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
 * Connects to the file systems of a submission's uploads, uploads its local dependencies sequentially, then calls `submission`.
 * If one of the last two fails, removes the uploads. Each upload that cannot be removed becomes a further issue.
 *
 * @throws SUBMIT_ERR_KERBEROS_…, SUBMIT_ERR_HADOOP_…, SUBMIT_ERR_FILE_UNREADABLE, SUBMIT_ERR_UPLOAD_FAILED, SUBMIT_ERR_INTERRUPTED, what `submission` throws; each optionally followed by
 *   SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE
 */
export async function withStagedDependencies<T>(call: StageCall, submission: () => Promise<T>): Promise<T> {
  const started: Upload[] = [];
  const targets = uploadTargets(call.host, call.owner);
  try {
    await connectAll(call, targets);
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

/** Connects to the file systems of the uploads, so that a failed login is the only error, and leaves nothing to remove. */
async function connectAll({ uploads, signal }: StageCall, targets: UploadTargets): Promise<void> {
  const connected = new Set<string>();
  for (const { path, directory } of uploads) {
    const parent = posix.dirname(directory);
    if (connected.has(parent)) continue;
    connected.add(parent);
    try {
      await (await targets.of(directory)).connect?.(parent, signal);
    } catch (error) {
      throw isSubmitError(error) && signal?.aborted !== true ? error : uploadError(error, path, signal);
    }
  }
}

function uploadError(error: unknown, path: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return submitError("SUBMIT_ERR_INTERRUPTED", {});
  return submitError("SUBMIT_ERR_UPLOAD_FAILED", { path, reason: messageOf(error) }, { cause: error });
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
    throw uploadError(error, path, signal);
  } finally {
    transfer.end();
  }
  if (signal?.aborted === true) throw submitError("SUBMIT_ERR_INTERRUPTED", {});
}
