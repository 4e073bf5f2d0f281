import type { ContentReader } from "../../../host/content-files.ts";
import type { Bucket } from "../../../s3/bucket.ts";
import { sequentialReader } from "../sequential-reader.ts";

/** Opens an object; `undefined` if it does not exist. Sequential reads share one request. */
export async function openObject(
  bucket: Bucket,
  { key, sizeBytes }: { readonly key: string; readonly sizeBytes: number },
): Promise<ContentReader | undefined> {
  if ((await bucket.info(key)) === undefined) return undefined;
  return sequentialReader({ sizeBytes, name: key, open: (offset) => bucket.open(key, offset) });
}
