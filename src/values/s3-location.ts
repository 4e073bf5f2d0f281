/** A place in a bucket of S3. */
export interface S3Location {
  readonly bucket: string;
  /** Before keys; empty, or with a slash at its end. */
  readonly prefix: string;
}

/**
 * Takes `s3://bucket/folder` apart; `s3a:` as well. `undefined` for what is none.
 *
 * Source: Amazon S3, rules for names of general purpose buckets; of keys, the characters that are safe everywhere.
 */
export function parseS3Location(text: string): S3Location | undefined {
  const [, bucket, path = ""] = /^s3a?:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/[\w./-]*)?$/.exec(text) ?? [];
  if (bucket === undefined || bucket.includes("..")) return undefined;
  const folders = path.split("/").filter((folder) => folder !== "");
  return { bucket, prefix: folders.map((folder) => `${folder}/`).join("") };
}

/** As `parseS3Location` reads it. */
export function printS3Location({ bucket, prefix }: S3Location): string {
  return `s3://${bucket}/${prefix}`.replace(/\/$/, "");
}
