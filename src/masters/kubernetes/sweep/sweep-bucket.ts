import type { SparkConf } from "../../../conf/spark-conf.ts";
import { messageOf, submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { isStagedKey, openStagingBucket, type StagingBucket } from "../stage/transports/staging-bucket.ts";

export interface BucketSweep {
  readonly host: Host;
  readonly conf: SparkConf;
  /** Whether to report files without removing them. */
  readonly dryRun: boolean;
}

/** Number and size of the files removed from a bucket. */
export interface SweptBucket {
  /** `https://host/bucket` */
  readonly bucket: string;
  readonly files: number;
  readonly bytes: number;
  /** Number of incomplete multipart uploads. */
  readonly unfinished: number;
}

/** Age of unused files, longer than the lifetime of any signed URL. A submission renews a file that is older than a day. */
const unusedMs = 8 * 24 * 3600_000;

/** Removes files that no submission has used for eight days. @throws SUBMIT_ERR_SWEEP_BUCKET, SUBMIT_ERR_FILE_UNREADABLE */
export async function sweepBucket({ host, conf, dryRun }: BucketSweep): Promise<SweptBucket> {
  const staging = openStagingBucket(host, conf);
  const { bucket } = staging;
  const sweeping = { staging, dryRun, beforeMs: host.clock.now() - unusedMs };
  try {
    const removed = await sweepFiles(sweeping);
    return { bucket: bucket.shown, ...removed, unfinished: await sweepUnfinished(sweeping) };
  } catch (error) {
    throw submitError("SUBMIT_ERR_SWEEP_BUCKET", { bucket: bucket.shown, reason: messageOf(error) }, { cause: error });
  } finally {
    bucket.close();
  }
}

interface Sweeping extends Pick<BucketSweep, "dryRun"> {
  readonly staging: StagingBucket;
  /** Limit of the last use of removed files, in ms since the epoch. */
  readonly beforeMs: number;
}

async function sweepFiles({ staging, dryRun, beforeMs }: Sweeping) {
  const { bucket, prefix } = staging;
  let [files, bytes] = [0, 0];
  for await (const { key, modifiedMs, sizeBytes } of bucket.list(prefix)) {
    if (!isStagedKey(staging, key) || modifiedMs > beforeMs) continue;
    // A submission may have renewed the file since the list.
    const now = dryRun ? { modifiedMs } : await bucket.info(key);
    if (now === undefined || now.modifiedMs > beforeMs) continue;
    if (!dryRun) await bucket.remove(key);
    files += 1;
    bytes += sizeBytes;
  }
  return { files, bytes };
}

async function sweepUnfinished({ staging, dryRun, beforeMs }: Sweeping): Promise<number> {
  const { bucket, prefix } = staging;
  let count = 0;
  for await (const { key, id, startedMs } of bucket.listUploads(prefix)) {
    if (!isStagedKey(staging, key) || startedMs > beforeMs) continue;
    const parts = (await bucket.listParts(key, id)) ?? [];
    if (parts.some(({ modifiedMs }) => modifiedMs > beforeMs)) continue;
    if (!dryRun) await bucket.abortUpload(key, id);
    count += 1;
  }
  return count;
}
