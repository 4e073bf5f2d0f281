import { stagingS3PodEndpoint, stagingS3UrlLifetime } from "../../../../conf/entries/bucket.ts";
import { isSubmitError, messageOf, submitError } from "../../../../errors/submit-error.ts";
import { cacheDirectory } from "../../../../host/cache-directory.ts";
import { showProgress } from "../../../../host/progress.ts";
import { allOrAbort } from "../../../../net/all-or-abort.ts";
import { limiter } from "../../../../net/limiter.ts";
import type { LocalizedEntry } from "../../../../plan/transports/localized-entry.ts";
import { localizingPath } from "../../../../plan/transports/localizing-files.ts";
import { putFile } from "../../../../s3/put-file.ts";
import { openPendingUploads } from "../../../../staging-client/pending-uploads.ts";
import { localizingConfig, localizingSecret } from "../transfer/localizing-data.ts";
import type { TransferCall, TransferResult } from "../transfer/transfer-files.ts";
import { keyOf, openStagingBucket, type StagingBucket } from "./staging-bucket.ts";

/**
 * Uploads the missing files of a driver to a bucket, with their SHA-256 as keys, and signs the URLs with which its pod fetches
 * them. Does not remove files from the bucket, because other submissions can use them.
 *
 * @throws SUBMIT_ERR_STAGING_S3, SUBMIT_ERR_STAGED_FILE_CHANGED, SUBMIT_ERR_FILE_UNREADABLE, SUBMIT_ERR_INTERRUPTED
 */
export async function transferByS3(call: TransferCall): Promise<TransferResult> {
  const { host, driver, localized, signal } = call;
  const { conf } = driver;
  const own = openStagingBucket(host, conf);
  const ofPods = openStagingBucket(host, conf, conf.get(stagingS3PodEndpoint));
  const seconds = Math.floor(conf.get(stagingS3UrlLifetime) / 1000);
  try {
    await putMissing(call, own);
    const keys = localized.entries.map(({ digest }) => keyOf(ofPods, digest));
    const urls = await Promise.all(keys.map((key) => ofPods.bucket.presign(key, seconds)));
    const entries = localized.entries.map(({ path: _, ...entry }) => entry);
    const source = { kind: "remote", urlsFile: localizingPath("urls"), entries } as const;
    const config = localizingConfig(call, source, own.authority);
    const data = { ...config, ...localizingSecret(driver, "urls", JSON.stringify(urls)) };
    return { data, withdraw: async () => [], close: () => {} };
  } catch (error) {
    throw signal?.aborted === true ? submitError("SUBMIT_ERR_INTERRUPTED", {}) : error;
  } finally {
    own.bucket.close();
    ofPods.bucket.close();
  }
}

const maxConcurrentFiles = 4;
/** Age of files that are renewed, so that a lifecycle rule of the bucket does not remove a file before the pod fetches it. */
const renewAfterMs = 24 * 3600_000;

/** Upload of missing files, with its progress. */
interface BucketUpload {
  readonly call: TransferCall;
  readonly own: StagingBucket;
  readonly pending: ReturnType<typeof openPendingUploads>;
  readonly transfer: ReturnType<ReturnType<typeof showProgress>["transfer"]>;
  /** Bytes sent by key. */
  readonly sentBytes: Map<string, number>;
  totalBytes: number;
}

async function putMissing(call: TransferCall, own: StagingBucket): Promise<void> {
  const { host, localized, signal } = call;
  const directory = `${cacheDirectory(host)}/staging/uploads`;
  const upload: BucketUpload = {
    ...{ call, own, sentBytes: new Map(), totalBytes: 0 },
    pending: openPendingUploads(host.files, { directory, server: own.bucket.shown, namespace: own.prefix }),
    transfer: showProgress(host).transfer("files of this machine"),
  };
  const limited = limiter(maxConcurrentFiles);
  const distinct = new Map(localized.entries.map((entry) => [entry.digest, entry]));
  try {
    const actions = [...distinct.values()].map(
      (entry) => (inner: AbortSignal) => limited(() => putEntry(upload, entry, inner)),
    );
    await allOrAbort(signal, actions);
  } finally {
    upload.transfer.end();
  }
}

/** Returns whether the bucket has the file, after renewing an old one. */
async function hasFile(
  { call: { host }, own: { bucket } }: BucketUpload,
  key: string,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await bucket.info(key, { signal });
  if (found?.sizeBytes !== sizeBytes) return false;
  if (host.clock.now() - found.modifiedMs <= renewAfterMs) return true;
  try {
    await bucket.renew(key);
    return true;
  } catch {
    // A sweep may have removed the file just now, as unused.
    return (await bucket.info(key, { signal })) !== undefined;
  }
}

async function putEntry(upload: BucketUpload, entry: LocalizedEntry, signal: AbortSignal): Promise<void> {
  const { call, own, pending } = upload;
  const { path, digest, size: sizeBytes } = entry;
  const key = keyOf(own, digest);
  try {
    if (await hasFile(upload, key, sizeBytes, signal)) return;
    upload.totalBytes += sizeBytes;
    await putFile(call.host, own.bucket, {
      ...{ path, sizeBytes, key, digest, signal },
      onProgress: (bytes) => reportSent(upload, key, bytes),
      pending: {
        load: () => pending.load(digest),
        save: (id) => pending.save(digest, id),
        remove: () => pending.remove(digest),
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    if (isSubmitError(error)) throw error;
    const { shown: bucket } = own.bucket;
    throw submitError("SUBMIT_ERR_STAGING_S3", { bucket, path, reason: messageOf(error) }, { cause: error });
  }
}

function reportSent(upload: BucketUpload, key: string, bytes: number): void {
  const { sentBytes, transfer, totalBytes } = upload;
  sentBytes.set(key, bytes);
  const doneBytes = [...sentBytes.values()].reduce((sum, sent) => sum + sent, 0);
  transfer.update(doneBytes, totalBytes);
}
