import type { SparkConf } from "../../conf/spark-conf.ts";
import { messageOf, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { isStagedKey, openStagingBucket } from "../stage/transports/staging-bucket.ts";

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
}

/** Longer than the life of any signed URL: a file that is put or used again is renewed once it is a day old. */
const unusedMs = 8 * 24 * 3600_000;

/** Removes files of submissions that nobody has used for eight days. @throws SUBMIT_ERR_SWEEP_BUCKET, SUBMIT_ERR_FILE_UNREADABLE */
export async function sweepBucket({ host, conf, dryRun }: BucketSweep): Promise<SweptBucket> {
  const staging = openStagingBucket(host, conf);
  const { bucket, prefix } = staging;
  const isUnused = (modifiedMs: number) => modifiedMs <= host.clock.now() - unusedMs;
  let [files, bytes] = [0, 0];
  try {
    for await (const { key, modifiedMs, sizeBytes } of bucket.list(prefix)) {
      if (!isStagedKey(staging, key) || !isUnused(modifiedMs)) continue;
      // Somebody may have renewed it since the list.
      const now = dryRun ? { modifiedMs } : await bucket.info(key);
      if (now === undefined || !isUnused(now.modifiedMs)) continue;
      if (!dryRun) await bucket.remove(key);
      files += 1;
      bytes += sizeBytes;
    }
  } catch (error) {
    throw submitError(
      "SUBMIT_ERR_SWEEP_BUCKET",
      { bucket: bucket.shown, reason: messageOf(error) },
      { cause: error },
    );
  } finally {
    bucket.close();
  }
  return { bucket: bucket.shown, files, bytes };
}
