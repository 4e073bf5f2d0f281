import { createHash, type Hash } from "node:crypto";
import * as v from "valibot";
import type { ContentWriter } from "../../host/content-files.ts";
import type { Digest } from "../../staging-client/bundle.ts";
import { digestShape, parseJson, sizeShape } from "./bundle-record.ts";
import type { StoreScope } from "./bundles.ts";
import { isId, type StoreLayout } from "./layout.ts";
import { type UploadActivity, uploadActivity } from "./upload-activity.ts";
import {
  type DiscardableFile,
  digestOf,
  type ReadPieces,
  type ReceivedFile,
  type Upload,
  type Uploads,
} from "./uploads.ts";

/** Upload state that this server has observed. */
interface Progress {
  readonly hash: Hash;
  sizeBytes: number;
  /** Whether the content is synced to the disk. */
  isSynced: boolean;
}

interface UploadScope extends StoreScope {
  readonly activity: UploadActivity;
  /** By upload ID. */
  readonly seen: Map<string, Progress>;
}

const metaShape = v.object({
  uploadId: v.string(),
  namespace: v.string(),
  digest: digestShape,
  size: sizeShape,
});

/** Opens the uploads of a store on a disk. */
export function openDirectoryUploads(store: StoreScope): Uploads {
  const scope: UploadScope = { ...store, activity: uploadActivity(), seen: new Map() };
  const { host, contents, layout, activity } = scope;
  const find = (uploadId: string) => findUpload(scope, uploadId);
  const offset = ({ uploadId }: Upload) => host.files.info(dataOf(layout, uploadId))?.sizeBytes ?? 0;
  return {
    async create(namespace, { digest, size }) {
      const upload = { uploadId: host.random.uuid(), namespace, digest, size };
      // Not synced, because its bytes are not synced either: after a power failure the client starts again.
      const meta = metaOf(layout, upload.uploadId);
      try {
        await contents.write(meta, JSON.stringify(upload));
      } catch (error) {
        await contents.remove(meta);
        throw error;
      }
      return upload;
    },
    find,
    offset,
    append: (upload, source) =>
      activity.write(upload.uploadId, source.cut, async () => {
        const isDeleted = find(upload.uploadId) === undefined;
        if (isDeleted || offset(upload) !== source.offset) return { offset: offset(upload), isWrong: true };
        return { offset: await write(scope, upload, source.read), isWrong: false };
      }),
    finish: (upload, take) =>
      activity.finish(upload.uploadId, async () =>
        find(upload.uploadId) === undefined ? undefined : completeUpload(scope, upload, take),
      ),
    abort: (uploadId) => abort(scope, uploadId),
    receive: (read) => receive(scope, read),
    sweep: (idleMs) => sweep(scope, idleMs),
  };
}

function dataOf(layout: StoreLayout, uploadId: string): string {
  return `${layout.upload(uploadId)}.data`;
}

function metaOf(layout: StoreLayout, uploadId: string): string {
  return `${layout.upload(uploadId)}.json`;
}

function findUpload({ host, layout }: UploadScope, uploadId: string): Upload | undefined {
  if (!isId(uploadId)) return undefined;
  const meta = v.safeParse(metaShape, parseJson(host.files.readText(metaOf(layout, uploadId))));
  return meta.success ? meta.output : undefined;
}

async function abort({ contents, layout, activity, seen }: UploadScope, uploadId: string): Promise<void> {
  // From here on, no writer starts. One that has just started may still create the file.
  await contents.remove(metaOf(layout, uploadId));
  await activity.stop(uploadId);
  seen.delete(uploadId);
  await contents.remove(dataOf(layout, uploadId));
}

/** Appends the bytes of a request. Returns the new offset. */
async function write(
  { contents, layout, seen }: UploadScope,
  { uploadId, size }: Upload,
  read: ReadPieces,
): Promise<number> {
  const writer = await contents.openWriter(dataOf(layout, uploadId));
  const known = seen.get(uploadId);
  const start = writer.sizeBytes() === 0 ? newProgress() : undefined;
  const progress = known?.sizeBytes === writer.sizeBytes() ? known : start;
  seen.delete(uploadId);
  try {
    await writeAll(writer, read, progress);
    // The commit follows the last byte. Syncing the open file now saves opening it again.
    if (progress !== undefined && writer.sizeBytes() === size) {
      await writer.sync();
      progress.isSynced = true;
    }
  } finally {
    if (progress?.sizeBytes === writer.sizeBytes()) seen.set(uploadId, progress);
    await writer.close();
  }
  return writer.sizeBytes();
}

async function completeUpload<T>(
  scope: UploadScope,
  { uploadId }: Upload,
  take: (file: ReceivedFile) => Promise<T>,
): Promise<{ readonly taken: T }> {
  const { contents, layout, seen } = scope;
  try {
    const path = dataOf(layout, uploadId);
    const known = seen.get(uploadId);
    const size = known?.isSynced === true ? known.sizeBytes : await syncFile(contents, path);
    const isKnown = known?.sizeBytes === size;
    const digest = isKnown ? digestOf(known.hash.copy()) : await digestOfFile(contents, path);
    return { taken: await take({ path, size, digest }) };
  } finally {
    await abort(scope, uploadId);
  }
}

async function receive({ host, contents, layout }: UploadScope, read: ReadPieces): Promise<DiscardableFile> {
  const path = dataOf(layout, host.random.uuid());
  const progress = newProgress();
  const discard = () => contents.remove(path);
  try {
    const writer = await contents.openWriter(path);
    try {
      await writeAll(writer, read, progress);
      await writer.sync();
    } finally {
      await writer.close();
    }
  } catch (error) {
    await discard();
    throw error;
  }
  return { path, size: progress.sizeBytes, digest: digestOf(progress.hash), discard };
}

async function sweep(scope: UploadScope, idleMs: number): Promise<number> {
  const { host, contents, layout, activity } = scope;
  const changedMs = (path: string) => host.files.info(path)?.modifiedMs ?? 0;
  const isIdle = (uploadId: string) =>
    !activity.isWriting(uploadId) &&
    Math.max(changedMs(dataOf(layout, uploadId)), changedMs(metaOf(layout, uploadId))) <= host.clock.now() - idleMs;
  const names = await contents.list(layout.uploads);
  const idle = [...new Set(names.map((name) => name.replace(/\..*/, "")))].filter(isIdle);
  for (const uploadId of idle) await abort(scope, uploadId);
  return idle.length;
}

function newProgress(): Progress {
  return { hash: createHash("sha256"), sizeBytes: 0, isSynced: false };
}

async function syncFile(contents: StoreScope["contents"], path: string): Promise<number> {
  const writer = await contents.openWriter(path);
  try {
    await writer.sync();
  } finally {
    await writer.close();
  }
  return writer.sizeBytes();
}

async function writeAll(writer: ContentWriter, read: ReadPieces, progress: Progress | undefined): Promise<void> {
  try {
    await read((piece) => {
      const taken = writer.append(piece);
      // Hash while the disk writes. If the write fails, sizeBytes differs from the file, and the hash is discarded.
      progress?.hash.update(piece);
      if (progress !== undefined) progress.sizeBytes += piece.length;
      return taken;
    });
  } finally {
    await writer.flush();
  }
}

const chunkBytes = 1024 * 1024;

async function digestOfFile(contents: StoreScope["contents"], path: string): Promise<Digest> {
  const hash = createHash("sha256");
  const reader = await contents.openReader(path);
  try {
    for (let offset = 0; reader !== undefined && offset < reader.sizeBytes; offset += chunkBytes) {
      hash.update(await reader.read(offset, chunkBytes));
    }
  } finally {
    await reader?.close();
  }
  return digestOf(hash);
}
