import type { Bucket, Part } from "./bucket.ts";

/** An object of which all parts are there. */
export interface ObjectOfParts {
  readonly key: string;
  readonly id: string;
  readonly parts: readonly Pick<Part, "number" | "etag">[];
  readonly sizeBytes: number;
}

/**
 * Makes an object of its parts. Where an answer got lost it was made before, which is fine.
 *
 * @throws S3Error, Node's error, Error when somebody gave it up meanwhile
 */
export async function completeObject(
  bucket: Bucket,
  { key, id, parts, sizeBytes }: ObjectOfParts,
  options: Parameters<Bucket["info"]>[1] = {},
): Promise<void> {
  if (await bucket.complete(key, id, parts)) return;
  const found = await bucket.info(key, options);
  if (found?.sizeBytes !== sizeBytes)
    throw new Error(`${key} was given up by somebody while it was being sent`);
}
