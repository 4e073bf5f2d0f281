import type { SparkConf } from "../../../conf/spark-conf.ts";
import { messageOf, submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { isStagedKey, openStagingBucket, type StagingBucket } from "../stage/transports/staging-bucket.ts";

/** Which bucket, by its settings. */
export interface BucketSweep {
  readonly host: Host;
  readonly conf: SparkConf;
  /** Only tells what would be removed. */
  readonly dryRun: boolean;
}

/** What was removed from a bucket. */
export interface SweptBucket {
  /** `https://host/bucket` */
  readonly bucket: string;
  readonly files: number;
  readonly bytes: number;
  /** Files of which only parts had come. */
  readonly unfinished: number;
}

/** Longer than the life of any signed URL: a file that is put or used again is renewed once it is a day old. */
const unusedMs = 8 * 24 * 3600_000;

/** Removes files of submissions that nobody has used for eight days. @throws SUBMIT_ERR_SWEEP_BUCKET, SUBMIT_ERR_FILE_UNREADABLE */
export async function sweepBucket({ host, conf, dryRun }: BucketSweep): Promise<SweptBucket> {
  const staging = openStagingBucket(host, conf);
  const { bucket } = staging;
  const sweeping = { staging, dryRun, beforeMs: host.clock.now() - unusedMs };
  try {
    const removed = await sweepFiles(sweeping);
    return { bucket: bucket.shown, ...removed, unfinished: await sweepUnfinished(sweeping) };
  } catch (error) {
    throw submitError(
      "SUBMIT_ERR_SWEEP_BUCKET",
      { bucket: bucket.shown, reason: messageOf(error) },
      { cause: error },
    );
  } finally {
    bucket.close();
  }
}

interface Sweeping {
  readonly staging: StagingBucket;
  readonly dryRun: boolean;
  /** What was used after this stays. Ms since 1970. */
  readonly beforeMs: number;
}

async function sweepFiles({ staging, dryRun, beforeMs }: Sweeping) {
  const { bucket, prefix } = staging;
  let [files, bytes] = [0, 0];
  for await (const { key, modifiedMs, sizeBytes } of bucket.list(prefix)) {
    if (!isStagedKey(staging, key) || modifiedMs > beforeMs) continue;
    // Somebody may have renewed it since the list.
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
  for await (const { key, id, startedMs } of bucket.unfinished(prefix)) {
    if (!isStagedKey(staging, key) || startedMs > beforeMs) continue;
    const parts = (await bucket.parts(key, id)) ?? [];
    if (parts.some(({ modifiedMs }) => modifiedMs > beforeMs)) continue;
    if (!dryRun) await bucket.giveUp(key, id);
    count += 1;
  }
  return count;
}
