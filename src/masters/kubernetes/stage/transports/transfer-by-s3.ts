import {
  stagingS3Endpoint,
  stagingS3PodEndpoint,
  stagingS3UrlLifetime,
} from "../../../../conf/entries/bucket.ts";
import { stagingInitTimeout } from "../../../../conf/entries/localizing.ts";
import { isSubmitError, messageOf, submitError } from "../../../../errors/submit-error.ts";
import { cacheDirectory } from "../../../../host/cache-directory.ts";
import { showProgress } from "../../../../host/progress.ts";
import { localizingFiles, localizingNames, localizingPath } from "../../../../plan/localizing-names.ts";
import type { LocalizedEntry } from "../../../../plan/transports/localized-entry.ts";
import { putFile } from "../../../../s3/put-file.ts";
import { allOrAbort, limiter } from "../../../../staging-client/all-or-abort.ts";
import type { LocalizeConfig } from "../../../../staging-client/localize-config.ts";
import { uploadNotes } from "../../../../staging-client/pending-uploads.ts";
import type { TransferCall, TransferResult } from "../transfer/transfer-files.ts";
import { keyOf, openStagingBucket, type StagingBucket } from "./staging-bucket.ts";

/** The bucket as we reach it, and as the pods do. */
interface Buckets {
  readonly own: StagingBucket;
  readonly ofPods: StagingBucket;
}

/**
 * Puts the files of a driver into a bucket, each under its SHA-256 and none that is there, and signs the URLs with which its pod
 * gets them. What is in the bucket stays: other submissions have the same files.
 *
 * @throws SUBMIT_ERR_STAGING_S3, SUBMIT_ERR_STAGED_FILE_CHANGED, SUBMIT_ERR_FILE_UNREADABLE, SUBMIT_ERR_INTERRUPTED
 */
export async function transferByS3(call: TransferCall): Promise<TransferResult> {
  const { localized, signal } = call;
  const buckets = openBuckets(call);
  try {
    await putMissing(call, buckets);
    const urls = await signAll(call, buckets);
    const { entries } = localized;
    const data = contents(call, buckets, { entries, urls });
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

const filesAtOnce = 4;
/** What was used so long ago is renewed, so that no rule of the bucket takes away what is about to be fetched. */
const renewAfterMs = 24 * 3600_000;

async function putMissing({ host, localized, signal }: TransferCall, { own }: Buckets): Promise<void> {
  const { bucket } = own;
  const distinct = [...new Map(localized.entries.map((entry) => [entry.digest, entry])).values()];
  const transfer = showProgress(host).transfer("files of this machine");
  const folder = `${cacheDirectory(host)}/staging/uploads`;
  const begun = uploadNotes(host.files, { folder, server: bucket.shown, namespace: own.prefix });
  const limited = limiter(filesAtOnce);
  const sent = new Map<string, number>();
  let totalBytes = 0;
  const isThere = async (key: string, size: number, inner: AbortSignal) => {
    const found = await bucket.info(key, { signal: inner });
    if (found?.sizeBytes !== size) return false;
    if (host.clock.now() - found.modifiedMs <= renewAfterMs) return true;
    try {
      await bucket.renew(key);
      return true;
    } catch {
      // Perhaps it was removed just now, as one that nobody had used for long.
      return (await bucket.info(key, { signal: inner })) !== undefined;
    }
  };
  const put = async (entry: LocalizedEntry, inner: AbortSignal) => {
    const { path, digest, size } = entry;
    const key = keyOf(own, digest);
    try {
      if (await isThere(key, size, inner)) return;
      totalBytes += size;
      const onProgress = (bytes: number) => {
        sent.set(key, bytes);
        transfer.update(
          [...sent.values()].reduce((sum, some) => sum + some, 0),
          totalBytes,
        );
      };
      const notes = {
        recall: () => begun.recall(digest),
        note: (id: string) => begun.note(digest, id),
        forget: () => begun.forget(digest),
      };
      await putFile(host, bucket, { path, sizeBytes: size, key, digest, signal: inner, onProgress, notes });
    } catch (error) {
      inner.throwIfAborted();
      if (isSubmitError(error)) throw error;
      const reason = messageOf(error);
      throw submitError("SUBMIT_ERR_STAGING_S3", { bucket: bucket.shown, path, reason }, { cause: error });
    }
  };
  try {
    const actions = distinct.map((entry) => (inner: AbortSignal) => limited(() => put(entry, inner)));
    await allOrAbort(signal, actions);
  } finally {
    transfer.end();
  }
}

function signAll({ driver, localized }: TransferCall, { ofPods }: Buckets): Promise<readonly string[]> {
  const seconds = Math.floor(driver.conf.get(stagingS3UrlLifetime) / 1000);
  return Promise.all(
    localized.entries.map(({ digest }) => ofPods.bucket.presign(keyOf(ofPods, digest), seconds)),
  );
}

/** Of the objects whose content nobody knew before. */
function contents(
  { driver, localized }: TransferCall,
  { own: { authority } }: Buckets,
  { entries, urls }: { readonly entries: readonly LocalizedEntry[]; readonly urls: readonly string[] },
): TransferResult["data"] {
  const { configMap, secret } = localizingNames(driver);
  const authorityFile = authority === undefined ? {} : { authorityFile: localizingPath("authority") };
  const config: LocalizeConfig = {
    directory: localized.directory,
    sources: [
      {
        kind: "signed",
        urlsFile: localizingPath("urls"),
        entries: entries.map(({ path: _, ...entry }) => entry),
        ...authorityFile,
      },
    ],
    timeoutSeconds: driver.conf.get(stagingInitTimeout),
  };
  return {
    [`ConfigMap/${configMap}`]: {
      [localizingFiles.config]: JSON.stringify(config, undefined, 2),
      ...(authority === undefined ? {} : { [localizingFiles.authority]: authority }),
    },
    [`Secret/${secret}`]: { [localizingFiles.urls]: Buffer.from(JSON.stringify(urls)).toString("base64") },
  };
}
