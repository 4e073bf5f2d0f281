import {
  stagingS3Authority,
  stagingS3Endpoint,
  stagingS3Path,
  stagingS3PathStyle,
  stagingS3PodEndpoint,
  stagingS3Region,
  stagingS3UrlLifetime,
} from "../../conf/entries/bucket.ts";
import {
  stagingInitImage,
  stagingInitTimeout,
  stagingSecretMaxSize,
  stagingTransport,
} from "../../conf/entries/localizing.ts";
import { issue } from "../../errors/issue.ts";
import type { TransportRule } from "./transport-rule.ts";

/** Settings that locate the bucket. */
export const bucketEntries = [
  ...[stagingS3Path, stagingS3Endpoint, stagingS3PodEndpoint, stagingS3Region, stagingS3PathStyle],
  stagingS3Authority,
];

/** Transport through a bucket, from which an init container fetches the files by signed URLs. */
export const s3Rule: TransportRule = {
  description: "through an S3 bucket",
  sent: "to the bucket before, unless it is already there",
  entries: [...bucketEntries, stagingS3UrlLifetime, stagingInitImage, stagingInitTimeout],
  reason: ({ conf }) =>
    conf.get(stagingS3Path) === undefined
      ? undefined
      : `they are too large for Secrets, see ${stagingSecretMaxSize.key}`,
  check: ({ conf }) =>
    conf.get(stagingS3Path) === undefined
      ? [issue("SUBMIT_ERR_STAGING_NO_BUCKET", { key: stagingTransport.key, pathKey: stagingS3Path.key })]
      : [],
};
