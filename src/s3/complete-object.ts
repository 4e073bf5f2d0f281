import type { Bucket, Part } from "./bucket.ts";

/** Multipart upload whose parts are all uploaded. */
interface ObjectOfParts {
  readonly key: string;
  readonly id: string;
  readonly parts: readonly Pick<Part, "number" | "etag">[];
  readonly sizeBytes: number;
}

/**
 * Completes a multipart upload. If an earlier response was lost, the object exists already, which counts as
 * success.
 *
 * @throws S3Error, Node's error, Error when another client aborted the upload
 */
export async function completeObject(
  bucket: Bucket,
  { key, id, parts, sizeBytes }: ObjectOfParts,
  options: Parameters<Bucket["info"]>[1] = {},
): Promise<void> {
  if (await bucket.completeUpload(key, id, parts)) return;
  const found = await bucket.info(key, options);
  if (found?.sizeBytes !== sizeBytes) throw new Error(`${key} was aborted by another client during the upload`);
}
