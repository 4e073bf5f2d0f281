import { partBytesFor } from "../collect-parts.ts";
import { type UploadActivity, uploadActivity } from "../upload-activity.ts";
import type { Upload, Uploads } from "../uploads.ts";
import { completeUpload } from "./complete-upload.ts";
import { receiveObject } from "./receive-object.ts";
import type { S3Scope } from "./s3-scope.ts";
import { findUpload, metaKey, removeUpload, stateOf, type UploadMeta, type UploadProgress } from "./upload-state.ts";
import { writeUpload } from "./write-upload.ts";

interface UploadScope extends S3Scope {
  readonly activity: UploadActivity;
  /** By upload ID. */
  readonly seen: Map<string, UploadProgress>;
}

/**
 * Opens the uploads of a store in a bucket. Full parts are sent as they arrive. The rest of a request becomes a separate object, so
 * that any server can continue the upload.
 */
export function openS3Uploads(store: S3Scope): Uploads {
  const scope: UploadScope = { ...store, activity: uploadActivity(), seen: new Map() };
  const { activity, seen } = scope;
  return {
    create: (namespace, { digest, size }) => createUpload(scope, { namespace, digest, size }),
    find: (uploadId) => findUpload(scope, uploadId),
    async offset({ uploadId }) {
      const meta = await findUpload(scope, uploadId);
      return meta === undefined ? 0 : (await stateOf(scope, meta)).offset;
    },
    append: ({ uploadId }, source) =>
      activity.write(uploadId, source.cut, async () => {
        const meta = await findUpload(scope, uploadId);
        const state = meta === undefined ? undefined : await stateOf(scope, meta);
        if (meta === undefined || state?.offset !== source.offset) return { offset: state?.offset ?? 0, isWrong: true };
        return { offset: await writeUpload(scope, { meta, state, source, seen }), isWrong: false };
      }),
    finish: ({ uploadId }, take) =>
      activity.finish(uploadId, async () => {
        const meta = await findUpload(scope, uploadId);
        return meta === undefined ? undefined : completeUpload(scope, { meta, seen }, take);
      }),
    abort: (uploadId) => abort(scope, uploadId),
    receive: (read) => receiveObject(scope, read),
    sweep: (idleMs) => sweepUploads(scope, idleMs),
  };
}

async function createUpload({ bucket, host, layout }: S3Scope, requested: Omit<Upload, "uploadId">): Promise<Upload> {
  const upload = { uploadId: host.random.uuid(), ...requested };
  const { uploadId, size } = upload;
  const isLarge = size > partBytesFor(size);
  const multipart = isLarge ? { multipartId: await bucket.createUpload(layout.content(uploadId)) } : {};
  await bucket.put(metaKey(layout, uploadId), JSON.stringify({ ...upload, ...multipart }));
  return upload;
}

async function abort(scope: UploadScope, uploadId: string): Promise<void> {
  await scope.activity.stop(uploadId);
  scope.seen.delete(uploadId);
  const meta = await findUpload(scope, uploadId);
  const isContent = meta !== undefined && (await isBlob(scope, meta));
  await removeUpload(scope, uploadId, isContent ? undefined : meta?.multipartId);
  if (!isContent) await scope.bucket.remove(scope.layout.content(uploadId));
}

/** Returns whether the content of an upload is a blob. A killed server may have kept the upload of such a content. */
async function isBlob({ bucket, layout }: S3Scope, { uploadId, digest }: UploadMeta): Promise<boolean> {
  const pointer = (await bucket.readText(layout.blob(digest)))?.text ?? "";
  return pointer.includes(JSON.stringify(layout.content(uploadId)));
}

async function sweepUploads(scope: UploadScope, idleMs: number): Promise<number> {
  const { bucket, host, layout } = scope;
  const last = new Map<string, number>();
  for await (const { key, modifiedMs } of bucket.list(`${layout.uploads}/`)) {
    const uploadId = key.slice(layout.uploads.length + 1).split("/")[0] ?? "";
    last.set(uploadId, Math.max(last.get(uploadId) ?? 0, modifiedMs));
  }
  const before = host.clock.now() - idleMs;
  let count = 0;
  for (const [uploadId, changedMs] of last) {
    if (scope.activity.isWriting(uploadId) || changedMs > before) continue;
    const meta = await findUpload(scope, uploadId);
    const parts = meta === undefined ? [] : (await stateOf(scope, meta)).parts;
    if (parts.some(({ modifiedMs }) => modifiedMs > before)) continue;
    await abort(scope, uploadId);
    count += 1;
  }
  return count;
}
