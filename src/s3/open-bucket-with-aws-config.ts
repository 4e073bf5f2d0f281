import type { Host } from "../host/host.ts";
import { proxyFor } from "../net/proxy/proxy-for.ts";
import { type Bucket, openBucket } from "./bucket.ts";
import { profileName, readProfile } from "./credentials/aws-files.ts";
import { defaultCredentials } from "./credentials/default-credentials.ts";

/** Settings of a bucket. The environment and files of the AWS tools provide the rest. */
export interface BucketSettings {
  readonly bucket: string;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** @default whether there is an endpoint */
  readonly isPathStyle?: boolean | undefined;
  /** CA certificates in PEM. */
  readonly authority?: string | undefined;
}

/** Opens a bucket with the settings of the AWS tools. Sends no request yet. */
export function openBucketWithAwsConfig(host: Host, settings: BucketSettings): Bucket {
  const { bucket, authority } = settings;
  const { env } = host;
  const profile = readProfile(host, profileName(host));
  const configured =
    settings.endpoint || env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || profile?.get("endpoint_url");
  const region = settings.region || env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || profile?.get("region");
  const endpoint = configured ? new URL(configured) : undefined;
  // Amazon's certificate covers only one level of subdomains.
  const isPathStyle = settings.isPathStyle ?? (endpoint !== undefined || bucket.includes("."));
  return openBucket(host, {
    ...{ bucket, endpoint, region, isPathStyle, authority },
    credentials: defaultCredentials(host, region),
    findProxy: (server) => proxyFor(server, env),
  });
}
