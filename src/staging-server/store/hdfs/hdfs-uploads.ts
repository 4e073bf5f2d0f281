import { createHash, type Hash } from "node:crypto";
import * as v from "valibot";
import type { Digest } from "../../../staging-client/bundle.ts";
import { digestShape, parseJson, sizeShape } from "../bundle-record.ts";
import { collectParts, partBytesFor } from "../collect-parts.ts";
import { isId, type StoreLayout } from "../layout.ts";
import { type UploadActivity, uploadActivity } from "../upload-activity.ts";
import {
  type DiscardableFile,
  digestOf,
  type ReadPieces,
  type ReceivedFile,
  type Upload,
  type UploadSource,
  type Uploads,
} from "../uploads.ts";
import { listParts, openFrom, partPath } from "./hdfs-content.ts";
import { readText, writeNew } from "./hdfs-files.ts";
import { type HdfsScope, storePermissions } from "./hdfs-scope.ts";

/** Upload state that this server has observed. */
interface Progress {
  readonly hash: Hash;
  sizeBytes: number;
}

interface UploadScope extends HdfsScope {
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

/**
 * Opens the uploads of a store in an HDFS. Bytes are files of their own, so that any server can continue an upload: HDFS files
 * cannot be changed, and appending needs a lease that a killed server would keep.
 */
export function openHdfsUploads(store: HdfsScope): Uploads {
  const scope: UploadScope = { ...store, activity: uploadActivity(), seen: new Map() };
  const { activity } = scope;
  const offset = async ({ uploadId }: Upload) =>
    (await listParts(scope, dataOf(scope.layout, uploadId)))?.sizeBytes ?? 0;
  return {
    create: (namespace, blob) => createUpload(scope, { namespace, digest: blob.digest, size: blob.size }),
    find: (uploadId) => findUpload(scope, uploadId),
    offset,
    append: (upload, source) =>
      activity.write(upload.uploadId, source.cut, async () => {
        const isDeleted = (await findUpload(scope, upload.uploadId)) === undefined;
        const known = isDeleted ? 0 : await offset(upload);
        if (isDeleted || known !== source.offset) return { offset: known, isWrong: true };
        return { offset: await write(scope, upload, source), isWrong: false };
      }),
    finish: (upload, take) =>
      activity.finish(upload.uploadId, async () =>
        (await findUpload(scope, upload.uploadId)) === undefined ? undefined : completeUpload(scope, upload, take),
      ),
    abort: (uploadId) => abort(scope, uploadId),
    receive: (read) => receive(scope, read),
    sweep: (idleMs) => sweep(scope, idleMs),
  };
}

/** Name of the directory of an upload's parts. A content keeps it only if two uploads became the same content. */
export const dataName = "data";

function dataOf(layout: StoreLayout, uploadId: string): string {
  return `${layout.upload(uploadId)}/${dataName}`;
}

async function createUpload(scope: UploadScope, requested: Omit<Upload, "uploadId">): Promise<Upload> {
  const { hdfs, host, layout } = scope;
  const upload = { uploadId: host.random.uuid(), ...requested };
  await hdfs.makeDirectory(dataOf(layout, upload.uploadId), storePermissions.directory);
  await writeNew(scope, `${layout.upload(upload.uploadId)}/meta.json`, JSON.stringify(upload));
  return upload;
}

async function findUpload(scope: HdfsScope, uploadId: string): Promise<Upload | undefined> {
  if (!isId(uploadId)) return undefined;
  const text = await readText(scope, `${scope.layout.upload(uploadId)}/meta.json`);
  const meta = v.safeParse(metaShape, parseJson(text));
  return meta.success ? meta.output : undefined;
}

async function abort({ hdfs, layout, activity, seen }: UploadScope, uploadId: string): Promise<void> {
  await activity.stop(uploadId);
  seen.delete(uploadId);
  await hdfs.remove(layout.upload(uploadId));
}

/** Stores the bytes of one request. Returns the new offset. */
async function write(scope: UploadScope, { uploadId, size }: Upload, source: UploadSource): Promise<number> {
  const { seen, layout } = scope;
  const known = seen.get(uploadId);
  const start = source.offset === 0 ? { hash: createHash("sha256"), sizeBytes: 0 } : undefined;
  const progress = known?.sizeBytes === source.offset ? known : start;
  seen.delete(uploadId);
  const received = await receiveParts(scope, source.read, {
    ...{ directory: dataOf(layout, uploadId), offset: source.offset, lastBytes: size - source.offset },
    partBytes: partBytesFor(size),
    onPiece: (piece) => progress?.hash.update(piece),
  });
  if (progress !== undefined) {
    progress.sizeBytes = received.offset;
    seen.set(uploadId, progress);
  }
  if (received.error !== undefined) throw received.error;
  return received.offset;
}

interface ReceivingParts {
  readonly directory: string;
  readonly offset: number;
  readonly partBytes: number;
  readonly lastBytes: number | undefined;
  readonly onPiece: (piece: Uint8Array) => void;
}

/** Stores incoming bytes as parts, also those that arrived before a failure. */
async function receiveParts(scope: HdfsScope, read: ReadPieces, receiving: ReceivingParts) {
  const { directory, partBytes, lastBytes, onPiece } = receiving;
  let { offset } = receiving;
  const release = await scope.memory.acquire(Math.min(2 * partBytes, lastBytes ?? Number.POSITIVE_INFINITY));
  const putPart = async (content: Uint8Array) => {
    if (content.length === 0) return;
    if (!(await writeNew(scope, partPath(directory, offset), content)))
      throw new Error(`another server writes ${directory}`);
    offset += content.length;
  };
  try {
    const collecting = { tail: new Uint8Array(), partBytes, lastBytes, onPiece, putPart, putTail: putPart };
    const { error } = await collectParts(read, collecting);
    return { offset, error };
  } finally {
    release();
  }
}

async function completeUpload<T>(
  scope: UploadScope,
  { uploadId }: Upload,
  take: (file: ReceivedFile) => Promise<T>,
): Promise<{ readonly taken: T }> {
  const path = dataOf(scope.layout, uploadId);
  try {
    const known = scope.seen.get(uploadId);
    const content = (await listParts(scope, path)) ?? { parts: [], sizeBytes: 0 };
    const isKnown = known?.sizeBytes === content.sizeBytes;
    const digest = isKnown ? digestOf(known.hash.copy()) : await digestOfContent(openFrom(scope, content, 0));
    return { taken: await take({ path, size: content.sizeBytes, digest }) };
  } finally {
    await abort(scope, uploadId);
  }
}

async function digestOfContent({ body }: { readonly body: AsyncIterable<Uint8Array> }): Promise<Digest> {
  const hash = createHash("sha256");
  for await (const piece of body) hash.update(piece);
  return digestOf(hash);
}

async function receive(scope: UploadScope, read: ReadPieces): Promise<DiscardableFile> {
  const { hdfs, host, layout } = scope;
  const uploadId = host.random.uuid();
  const path = dataOf(layout, uploadId);
  const hash = createHash("sha256");
  const discard = async () => void (await hdfs.remove(layout.upload(uploadId)));
  try {
    await hdfs.makeDirectory(path, storePermissions.directory);
    const { offset: size, error } = await receiveParts(scope, read, {
      ...{ directory: path, offset: 0, partBytes: partBytesFor(undefined), lastBytes: undefined },
      onPiece: (piece) => hash.update(piece),
    });
    if (error !== undefined) throw error;
    return { path, size, digest: digestOf(hash), discard };
  } catch (error) {
    // Report the original error. The cleaner removes what could not be discarded.
    await discard().catch(() => {});
    throw error;
  }
}

async function sweep(scope: UploadScope, idleMs: number): Promise<number> {
  const { hdfs, host, layout, activity } = scope;
  const before = host.clock.now() - idleMs;
  let count = 0;
  for (const { name, modifiedMs } of (await hdfs.list(layout.uploads)) ?? []) {
    if (activity.isWriting(name) || modifiedMs > before) continue;
    // A new part changes the directory of the parts.
    if (((await hdfs.status(dataOf(layout, name)))?.modifiedMs ?? 0) > before) continue;
    await abort(scope, name);
    count += 1;
  }
  return count;
}
