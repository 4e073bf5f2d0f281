import type { Upload, Uploads } from "../../uploads.ts";
import { partBytesFor } from "../collect-parts.ts";
import type { S3Scope } from "../s3-scope.ts";
import { handOver } from "./hand-over.ts";
import { receiveObject } from "./receive-object.ts";
import {
  findUpload,
  metaKey,
  stateOf,
  tidyUpload,
  type UploadMeta,
  type UploadProgress,
} from "./upload-state.ts";
import { writeUpload } from "./write-upload.ts";

/** What this server does with uploads just now, by their ids. */
interface Activity {
  readonly running: Map<string, { readonly cut: () => void; readonly done: Promise<unknown> }>;
  readonly finishing: Map<string, Promise<void>>;
  readonly seen: Map<string, UploadProgress>;
}

/**
 * Uploads into a bucket: full parts go there as they come, and what is left at the end of a request as an object of its own, so that
 * any server can go on with it.
 */
export function openS3Uploads(scope: S3Scope): Uploads {
  const activity: Activity = { running: new Map(), finishing: new Map(), seen: new Map() };
  return {
    begin: (namespace, { digest, size }) => beginUpload(scope, { namespace, digest, size }),
    find: (uploadId) => findUpload(scope, uploadId),
    async offset({ uploadId }) {
      const meta = await findUpload(scope, uploadId);
      return meta === undefined ? 0 : (await stateOf(scope, meta)).offset;
    },
    append: ({ uploadId }, source) => append(scope, activity, { uploadId, source }),
    async finish({ uploadId }, take) {
      const { finishing, seen } = activity;
      // Who asks a second time has lost the answer to the first.
      for (let last = finishing.get(uploadId); last !== undefined; last = finishing.get(uploadId)) await last;
      const work = cutOff(activity, uploadId).then(async () => {
        const meta = await findUpload(scope, uploadId);
        return meta === undefined ? undefined : handOver(scope, { meta, seen }, take);
      });
      finishing.set(uploadId, settled(work));
      try {
        return await work;
      } finally {
        finishing.delete(uploadId);
      }
    },
    abandon: (uploadId) => abandon(scope, activity, uploadId),
    receive: (read) => receiveObject(scope, read),
    sweep: (idleMs) => sweepUploads(scope, activity, idleMs),
  };
}

async function beginUpload(
  { bucket, host, layout }: S3Scope,
  wanted: Omit<Upload, "uploadId">,
): Promise<Upload> {
  const upload = { uploadId: host.random.uuid(), ...wanted };
  const { uploadId, size } = upload;
  const isLarge = size > partBytesFor(size);
  const multipart = isLarge ? { multipartId: await bucket.begin(layout.content(uploadId)) } : {};
  await bucket.put(metaKey(layout, uploadId), JSON.stringify({ ...upload, ...multipart }));
  return upload;
}

async function cutOff({ running }: Activity, uploadId: string): Promise<void> {
  for (let last = running.get(uploadId); last !== undefined; last = running.get(uploadId)) {
    last.cut();
    await last.done;
  }
}

async function append(
  scope: S3Scope,
  activity: Activity,
  { uploadId, source }: { readonly uploadId: string; readonly source: Parameters<Uploads["append"]>[1] },
): ReturnType<Uploads["append"]> {
  const { running, seen } = activity;
  await cutOff(activity, uploadId);
  const meta = await findUpload(scope, uploadId);
  const state = meta === undefined ? undefined : await stateOf(scope, meta);
  if (meta === undefined || state?.offset !== source.offset)
    return { offset: state?.offset ?? 0, isWrong: true };
  const writing = writeUpload(scope, { meta, state, source, seen });
  running.set(uploadId, { cut: source.cut, done: settled(writing) });
  try {
    return { offset: await writing, isWrong: false };
  } finally {
    running.delete(uploadId);
  }
}

async function abandon(scope: S3Scope, { running, seen }: Activity, uploadId: string): Promise<void> {
  running.get(uploadId)?.cut();
  seen.delete(uploadId);
  const meta = await findUpload(scope, uploadId);
  const isContent = meta !== undefined && (await isBlob(scope, meta));
  await tidyUpload(scope, uploadId, isContent ? undefined : meta?.multipartId);
  if (!isContent) await scope.bucket.remove(scope.layout.content(uploadId));
}

/** A server that was killed may have left it as an upload. */
async function isBlob({ bucket, layout }: S3Scope, { uploadId, digest }: UploadMeta): Promise<boolean> {
  const pointer = (await bucket.readText(layout.blob(digest)))?.text ?? "";
  return pointer.includes(JSON.stringify(layout.content(uploadId)));
}

async function sweepUploads(scope: S3Scope, activity: Activity, idleMs: number): Promise<number> {
  const { bucket, host, layout } = scope;
  const last = new Map<string, number>();
  for await (const { key, modifiedMs } of bucket.list(`${layout.uploads}/`)) {
    const uploadId = key.slice(layout.uploads.length + 1).split("/")[0] ?? "";
    last.set(uploadId, Math.max(last.get(uploadId) ?? 0, modifiedMs));
  }
  const before = host.clock.now() - idleMs;
  let count = 0;
  for (const [uploadId, changedMs] of last) {
    if (activity.running.has(uploadId) || changedMs > before) continue;
    const meta = await findUpload(scope, uploadId);
    const parts = meta === undefined ? [] : (await stateOf(scope, meta)).parts;
    if (parts.some(({ modifiedMs }) => modifiedMs > before)) continue;
    await abandon(scope, activity, uploadId);
    count += 1;
  }
  return count;
}

function settled(work: Promise<unknown>): Promise<void> {
  const done = () => {};
  return work.then(done, done);
}
