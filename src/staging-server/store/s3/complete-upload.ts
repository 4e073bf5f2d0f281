import { createHash } from "node:crypto";
import { completeObject } from "../../../s3/complete-object.ts";
import type { Digest } from "../../../staging-client/bundle.ts";
import { digestOf, type ReceivedFile } from "../uploads.ts";
import type { S3Scope } from "./s3-scope.ts";
import {
  readTail,
  removeUpload,
  stateOf,
  type UploadMeta,
  type UploadProgress,
  type UploadState,
} from "./upload-state.ts";

/** Completes the object of an upload and passes it to `take`. Then ends the upload, even if `take` fails. */
export async function completeUpload<T>(
  scope: S3Scope,
  { meta, seen }: { readonly meta: UploadMeta; readonly seen: Map<string, UploadProgress> },
  take: (file: ReceivedFile) => Promise<T>,
): Promise<{ readonly taken: T }> {
  const { bucket, layout, adopted } = scope;
  const { uploadId } = meta;
  const key = layout.content(uploadId);
  const state = await stateOf(scope, meta);
  const progress = seen.get(uploadId);
  const known = progress?.sizeBytes === state.offset ? digestOf(progress.hash.copy()) : undefined;
  // Do not abort the multipart upload of a complete object: some servers would remove its parts.
  let multipartId = state.isComplete ? undefined : meta.multipartId;
  try {
    const isComplete = state.offset === meta.size;
    if (isComplete && (known === undefined || known === meta.digest)) {
      // Complete with the entity tags that this server received, so that S3 rejects parts that another server overwrote.
      const parts = known === undefined ? state.parts : (progress?.parts ?? []);
      await assemble(scope, { meta, state, parts: [...parts] });
      multipartId = undefined;
    }
    const digest = known ?? (isComplete ? await digestOfObject(scope, key) : digestOf(createHash("sha256")));
    return { taken: await take({ path: key, size: state.offset, digest }) };
  } finally {
    seen.delete(uploadId);
    await removeUpload(scope, uploadId, multipartId);
    if (!adopted.delete(key)) await bucket.remove(key);
  }
}

interface Assembling {
  readonly meta: UploadMeta;
  readonly state: UploadState;
  readonly parts: UploadProgress["parts"];
}

async function assemble(scope: S3Scope, { meta, state, parts }: Assembling): Promise<void> {
  const { uploadId, multipartId, size } = meta;
  const key = scope.layout.content(uploadId);
  if (state.isComplete) return;
  if (multipartId !== undefined) {
    await completeObject(scope.bucket, { key, id: multipartId, parts, sizeBytes: size });
    return;
  }
  await scope.bucket.put(key, await readTail(scope, uploadId, { count: 0, bytes: state.tailBytes }));
}

async function digestOfObject({ bucket }: S3Scope, key: string): Promise<Digest> {
  const hash = createHash("sha256");
  const opened = await bucket.open(key);
  if (opened !== undefined) for await (const piece of opened.body) hash.update(piece);
  return digestOf(hash);
}
