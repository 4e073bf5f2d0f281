import type { Hash } from "node:crypto";
import * as v from "valibot";
import type { Bucket, Part } from "../../../s3/bucket.ts";
import { digestShape, parseJson, sizeShape } from "../bundle-record.ts";
import { isId, type StoreLayout } from "../layout.ts";
import type { Upload } from "../uploads.ts";
import type { S3Scope } from "./s3-scope.ts";

/** Metadata of an upload in the bucket. */
export interface UploadMeta extends Upload {
  /** ID of the S3 multipart upload; absent for content of one part. */
  readonly multipartId?: string | undefined;
}

const metaShape = v.object({
  uploadId: v.string(),
  namespace: v.string(),
  digest: digestShape,
  size: sizeShape,
  multipartId: v.exactOptional(v.string()),
});

/** Received content of an upload. */
export interface UploadState {
  readonly parts: readonly Part[];
  /** Bytes after the last part, fewer than the part size. */
  readonly tailBytes: number;
  /** Whether the object is already complete. */
  readonly isComplete: boolean;
  readonly offset: number;
}

/** Upload state that this server has observed; the state of other servers is only in the bucket. */
export interface UploadProgress {
  readonly hash: Hash;
  sizeBytes: number;
  readonly parts: Pick<Part, "number" | "etag">[];
}

/** Returns the key of an upload's metadata. */
export function metaKey(layout: StoreLayout, uploadId: string): string {
  return `${layout.upload(uploadId)}/meta.json`;
}

/** Returns the key of the tail after this number of parts. */
export function tailKey(layout: StoreLayout, uploadId: string, count: number): string {
  return `${layout.upload(uploadId)}/tail-${count}`;
}

/** Finds an upload in progress. */
export async function findUpload({ bucket, layout }: S3Scope, uploadId: string): Promise<UploadMeta | undefined> {
  if (!isId(uploadId)) return undefined;
  const text = (await bucket.readText(metaKey(layout, uploadId)))?.text;
  const meta = v.safeParse(metaShape, parseJson(text));
  return meta.success ? meta.output : undefined;
}

/** Reads the state of an upload from the bucket. */
export async function stateOf(
  { bucket, layout }: S3Scope,
  { uploadId, multipartId, size }: UploadMeta,
): Promise<UploadState> {
  const key = layout.content(uploadId);
  const parts = multipartId === undefined ? [] : ((await bucket.listParts(key, multipartId)) ?? []);
  const partsBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  const object = parts.length > 0 && partsBytes < size ? undefined : await bucket.info(key);
  if (object !== undefined) return { parts, tailBytes: 0, isComplete: true, offset: object.sizeBytes };
  const tail = await bucket.info(tailKey(layout, uploadId, parts.length));
  const tailBytes = tail?.sizeBytes ?? 0;
  return { parts, tailBytes, isComplete: false, offset: partsBytes + tailBytes };
}

/** Reads the tail after this number of parts. */
export async function readTail(
  { bucket, layout }: S3Scope,
  uploadId: string,
  { count, bytes }: { readonly count: number; readonly bytes: number },
): Promise<Uint8Array> {
  const opened = bytes === 0 ? undefined : await bucket.open(tailKey(layout, uploadId, count));
  const pieces: Uint8Array[] = [];
  if (opened !== undefined) for await (const piece of opened.body) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Aborts the multipart upload, if one is specified, and removes the upload's metadata and tails. */
export async function removeUpload(
  { bucket, layout }: { readonly bucket: Bucket; readonly layout: StoreLayout },
  uploadId: string,
  multipartId: string | undefined,
): Promise<void> {
  if (multipartId !== undefined) await bucket.abortUpload(layout.content(uploadId), multipartId);
  for await (const { key } of bucket.list(`${layout.upload(uploadId)}/`)) await bucket.remove(key);
}
