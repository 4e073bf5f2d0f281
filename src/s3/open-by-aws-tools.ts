import type { Host } from "../host/host.ts";
import { proxyFor } from "../host/proxy/proxy-for.ts";
import { type Bucket, openBucket } from "./bucket.ts";
import { profileName, readProfile } from "./credentials/aws-files.ts";
import { usualCredentials } from "./credentials/usual-credentials.ts";

/** What is set of a bucket; for all else the environment and files of the AWS tools are asked. */
export interface BucketSettings {
  readonly bucket: string;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** @default whether there is an endpoint */
  readonly isPathStyle?: boolean | undefined;
  /** PEM. */
  readonly authority?: string | undefined;
}

/** Opens a bucket as the AWS tools would; nothing is asked yet. */
export function openByAwsTools(host: Host, settings: BucketSettings): Bucket {
  const { bucket, authority } = settings;
  const { env } = host;
  const profile = readProfile(host, profileName(host));
  const given =
    settings.endpoint ||
    env["AWS_ENDPOINT_URL_S3"] ||
    env["AWS_ENDPOINT_URL"] ||
    profile?.get("endpoint_url");
  const region = settings.region || env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || profile?.get("region");
  const endpoint = given ? new URL(given) : undefined;
  // The certificate of Amazon's names one level of names only.
  const isPathStyle = settings.isPathStyle ?? (endpoint !== undefined || bucket.includes("."));
  return openBucket(host, {
    ...{ bucket, endpoint, region, isPathStyle, authority },
    credentials: usualCredentials(host, region),
    findProxy: (server) => proxyFor(server, env),
  });
}
