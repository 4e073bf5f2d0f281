import {
  stagingS3Authority,
  stagingS3Endpoint,
  stagingS3Path,
  stagingS3PathStyle,
  stagingS3Region,
} from "../../../../conf/entries/bucket.ts";
import type { SparkConf } from "../../../../conf/spark-conf.ts";
import type { Host } from "../../../../host/host.ts";
import type { Bucket } from "../../../../s3/bucket.ts";
import { openBucketWithAwsConfig } from "../../../../s3/open-bucket-with-aws-config.ts";
import type { Digest } from "../../../../values/staged-entry.ts";
import { readNamedFile } from "./read-named-file.ts";

/** Bucket for the files of submitting machines. */
export interface StagingBucket {
  readonly bucket: Bucket;
  /** Prefix of the keys of all files. */
  readonly prefix: string;
  /** PEM. */
  readonly authority: string | undefined;
}

/** Opens the bucket of the settings, at their endpoint or at another one. @throws SUBMIT_ERR_FILE_UNREADABLE */
export function openStagingBucket(host: Host, conf: SparkConf, endpoint = conf.get(stagingS3Endpoint)): StagingBucket {
  const { bucket: name = "", prefix = "" } = conf.get(stagingS3Path) ?? {};
  const authority = readNamedFile(host, conf, stagingS3Authority);
  const bucket = openBucketWithAwsConfig(host, {
    ...{ bucket: name, endpoint, authority },
    ...{ region: conf.get(stagingS3Region), isPathStyle: conf.get(stagingS3PathStyle) },
  });
  return { bucket, prefix: `${prefix}sha256/`, authority };
}

/** Returns the key of a content. */
export function keyOf({ prefix }: Pick<StagingBucket, "prefix">, digest: Digest): string {
  const hex = digest.slice("sha256:".length);
  return `${prefix}${hex.slice(0, 2)}/${hex.slice(2)}`;
}

/** Returns whether a key is that of a staged file. */
export function isStagedKey({ prefix }: Pick<StagingBucket, "prefix">, key: string): boolean {
  return key.startsWith(prefix) && /^[0-9a-f]{2}\/[0-9a-f]{62}$/.test(key.slice(prefix.length));
}
