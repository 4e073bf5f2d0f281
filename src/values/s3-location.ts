/** Location in an S3 bucket. */
export interface S3Location {
  readonly bucket: string;
  /** Prefix of keys: empty, or ending with a slash. */
  readonly prefix: string;
}

/**
 * Parses `s3://bucket/directory`, also with `s3a:`. Returns `undefined` for other texts.
 *
 * Source: Amazon S3, naming rules of general purpose buckets, and the characters of keys that are safe everywhere.
 */
export function parseS3Location(text: string): S3Location | undefined {
  const [, bucket, path = ""] = /^s3a?:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/[\w./-]*)?$/.exec(text) ?? [];
  if (bucket === undefined || bucket.includes("..")) return undefined;
  const segments = path.split("/").filter((segment) => segment !== "");
  return { bucket, prefix: segments.map((segment) => `${segment}/`).join("") };
}

/** Prints a location in the format of `parseS3Location`. */
export function printS3Location({ bucket, prefix }: S3Location): string {
  return `s3://${bucket}/${prefix}`.replace(/\/$/, "");
}
