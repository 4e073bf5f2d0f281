import { stagingS3Endpoint, stagingS3PodEndpoint, stagingS3UrlLifetime } from "../../../../conf/entries/bucket.ts";
import { isSubmitError, messageOf, submitError } from "../../../../errors/submit-error.ts";
import { cacheDirectory } from "../../../../host/cache-directory.ts";
import { showProgress } from "../../../../host/progress.ts";
import { allOrAbort } from "../../../../net/all-or-abort.ts";
import { limiter } from "../../../../net/limiter.ts";
import { localizingPath } from "../../../../plan/localizing-names.ts";
import type { LocalizedEntry } from "../../../../plan/transports/localized-entry.ts";
import { putFile } from "../../../../s3/put-file.ts";
import { openPendingUploads } from "../../../../staging-client/pending-uploads.ts";
import type { TransferCall, TransferResult } from "../transfer/transfer-files.ts";
import { localizingConfig, localizingSecret } from "./localizing-data.ts";
import { keyOf, openStagingBucket, type StagingBucket } from "./staging-bucket.ts";

/** The bucket at the endpoint of this machine, and at that of the pods. */
interface Buckets {
  readonly own: StagingBucket;
  readonly ofPods: StagingBucket;
}

/**
 * Uploads the missing files of a driver to a bucket, with their SHA-256 as keys, and signs the URLs with which its pod fetches
 * them. Does not remove files from the bucket, because other submissions can use them.
 *
 * @throws SUBMIT_ERR_STAGING_S3, SUBMIT_ERR_STAGED_FILE_CHANGED, SUBMIT_ERR_FILE_UNREADABLE, SUBMIT_ERR_INTERRUPTED
 */
export async function transferByS3(call: TransferCall): Promise<TransferResult> {
  const { driver, localized, signal } = call;
  const buckets = openBuckets(call);
  try {
    await putMissing(call, buckets);
    const urls = await signAll(call, buckets);
    const entries = localized.entries.map(({ path: _, ...entry }) => entry);
    const source = { kind: "signed", urlsFile: localizingPath("urls"), entries } as const;
    const config = localizingConfig(call, source, buckets.own.authority);
    const data = { ...config, ...localizingSecret(driver, "urls", JSON.stringify(urls)) };
    return { data, withdraw: async () => [], close: () => {} };
  } catch (error) {
    throw signal?.aborted === true ? submitError("SUBMIT_ERR_INTERRUPTED", {}) : error;
  } finally {
    buckets.own.bucket.close();
    buckets.ofPods.bucket.close();
  }
}

function openBuckets({ host, driver: { conf } }: TransferCall): Buckets {
  const podEndpoint = conf.get(stagingS3PodEndpoint) ?? conf.get(stagingS3Endpoint);
  return { own: openStagingBucket(host, conf), ofPods: openStagingBucket(host, conf, podEndpoint) };
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

async function putMissing(call: TransferCall, { own }: Buckets): Promise<void> {
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
  { key, sizeBytes }: { readonly key: string; readonly sizeBytes: number },
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
    if (await hasFile(upload, { key, sizeBytes }, signal)) return;
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
  transfer.update(
    [...sentBytes.values()].reduce((sum, sent) => sum + sent, 0),
    totalBytes,
  );
}

function signAll({ driver, localized }: TransferCall, { ofPods }: Buckets): Promise<readonly string[]> {
  const seconds = Math.floor(driver.conf.get(stagingS3UrlLifetime) / 1000);
  return Promise.all(localized.entries.map(({ digest }) => ofPods.bucket.presign(keyOf(ofPods, digest), seconds)));
}
