import type { ContentReader } from "../../../host/content-files.ts";
import { forEachConcurrent } from "../../../net/for-each-concurrent.ts";
import type { ListedObject } from "../../../s3/bucket.ts";
import type { Blob } from "../../../staging-client/protocol.ts";
import { isFields } from "../../../values/fields.ts";
import type { Blobs } from "../blobs.ts";
import { parseJson } from "../bundle-record.ts";
import { type ContentReaders, contentReaders } from "../content-readers.ts";
import { hexOf } from "../layout.ts";
import { openObject } from "./open-object.ts";
import type { S3Scope } from "./s3-scope.ts";

/** Content of a blob's object: key and size of the content. Contents are not moved, because moving in S3 is copying. */
interface Pointer {
  readonly key: string;
  readonly sizeBytes: number;
}

const maxConcurrentObjects = 16;

/** Blob state that this server has observed. */
interface BlobScope extends S3Scope {
  /** By key. */
  readonly pointers: Map<string, { readonly etag: string; readonly pointer: Pointer }>;
  readonly readers: ContentReaders;
}

/** Opens the contents of a store in a bucket. */
export function openS3Blobs(store: S3Scope): Blobs {
  const scope: BlobScope = { ...store, pointers: new Map(), readers: contentReaders() };
  const { bucket, layout } = scope;
  return {
    async has(namespace, blob) {
      const [mark, pointer] = await Promise.all([
        bucket.info(layout.mark(namespace, blob)),
        bucket.info(layout.blob(blob.digest)),
      ]);
      return mark !== undefined && pointer !== undefined;
    },
    async keep(namespace, blob) {
      await bucket.put(layout.mark(namespace, blob), "");
    },
    adopt: (key, namespace, blob) => adopt(scope, key, { namespace, blob }),
    open: (digest) => scope.readers.open(hexOf(digest), () => openBlob(scope, layout.blob(digest))),
    async usedBytes(namespace) {
      const marks = await listAll(scope, layout.ownedBy(namespace));
      return marks.reduce((sum, { key }) => sum + Number(key.slice(key.lastIndexOf("-") + 1)), 0);
    },
    async sweep(referenced, sinceMs) {
      // List the contents before the blobs, so that a content that becomes a blob meanwhile is not removed.
      const contents = await listAll(scope, layout.contents);
      const uploads = new Set((await listAll(scope, layout.uploads)).map(({ key }) => key.split("/").at(-2)));
      const needed = await sweepMarks(scope, referenced, sinceMs);
      const { used, ...swept } = await sweepPointers(scope, needed, sinceMs);
      // Remove contents of killed servers, and duplicates from concurrent uploads.
      await forEachConcurrent(contents, maxConcurrentObjects, async ({ key, modifiedMs }) => {
        const isUploading = uploads.has(key.slice(layout.contents.length + 1));
        if (modifiedMs <= sinceMs && !used.has(key) && !isUploading) await bucket.remove(key);
      });
      return swept;
    },
  };
}

async function listAll({ bucket }: S3Scope, directory: string): Promise<readonly ListedObject[]> {
  const objects: ListedObject[] = [];
  for await (const object of bucket.list(`${directory}/`)) objects.push(object);
  return objects;
}

async function readPointer({ bucket, pointers }: BlobScope, key: string): Promise<Pointer | undefined> {
  const found = await bucket.readText(key);
  const pointer = parsePointer(found?.text);
  if (found === undefined || pointer === undefined) {
    pointers.delete(key);
    return undefined;
  }
  pointers.set(key, { etag: found.etag, pointer });
  return pointer;
}

async function adopt(
  scope: BlobScope,
  key: string,
  { namespace, blob }: { readonly namespace: string; readonly blob: Blob },
): Promise<void> {
  const { bucket, layout, adopted } = scope;
  const pointerKey = layout.blob(blob.digest);
  const existing = await readPointer(scope, pointerKey);
  const exists = existing !== undefined && (await bucket.info(existing.key))?.sizeBytes === blob.size;
  // Write an existing pointer again to renew its modification time, so that a concurrent cleanup does not remove it.
  const pointer: Pointer = exists ? existing : { key, sizeBytes: blob.size };
  // Record this first: if the outcome of the write is unknown, the content must stay.
  if (!exists) adopted.add(key);
  await bucket.put(pointerKey, JSON.stringify(pointer));
  await bucket.put(layout.mark(namespace, blob), "");
  if (exists) await bucket.remove(key);
}

async function openBlob(scope: BlobScope, pointerKey: string): Promise<ContentReader | undefined> {
  const pointer = scope.pointers.get(pointerKey)?.pointer ?? (await readPointer(scope, pointerKey));
  if (pointer === undefined) return undefined;
  const reader = await openObject(scope.bucket, pointer);
  if (reader !== undefined) return reader;
  // Another server may have removed and stored the content again.
  const now = await readPointer(scope, pointerKey);
  return now === undefined || now.key === pointer.key ? undefined : openObject(scope.bucket, now);
}

/** Removes the marks of blobs that no bundle references. Returns the digests of the remaining marks, in hex. */
async function sweepMarks(
  scope: BlobScope,
  referenced: ReadonlyMap<string, ReadonlySet<string>>,
  sinceMs: number,
): Promise<ReadonlySet<string>> {
  const { bucket, layout } = scope;
  const needed = new Set<string>();
  await forEachConcurrent(await listAll(scope, layout.owned), maxConcurrentObjects, async ({ key, modifiedMs }) => {
    const [namespaceHash = "", mark = ""] = key.slice(layout.owned.length + 1).split("/");
    const hex = mark.slice(0, 64);
    const isNeeded = referenced.get(namespaceHash)?.has(hex) === true || modifiedMs > sinceMs;
    // A client may have renewed the mark since it was listed.
    if (isNeeded || ((await bucket.info(key))?.modifiedMs ?? 0) > sinceMs) needed.add(hex);
    else await bucket.remove(key);
  });
  return needed;
}

/** Removes blobs without marks. Returns the content keys of the remaining blobs, and number and size of the removed ones. */
async function sweepPointers(scope: BlobScope, needed: ReadonlySet<string>, sinceMs: number) {
  const { bucket, layout, readers, pointers } = scope;
  const used = new Set<string>();
  let [count, bytes] = [0, 0];
  await forEachConcurrent(
    await listAll(scope, layout.blobs),
    maxConcurrentObjects,
    async ({ key, etag, modifiedMs }) => {
      const hex = key.slice(layout.blobs.length + 1).replace("/", "");
      const known = pointers.get(key);
      const pointer = known?.etag === etag ? known.pointer : await readPointer(scope, key);
      if (pointer === undefined) return;
      const isNeeded = modifiedMs > sinceMs || needed.has(hex) || readers.isRead(hex);
      if (isNeeded || ((await bucket.info(key))?.modifiedMs ?? 0) > sinceMs) {
        used.add(pointer.key);
        return;
      }
      await bucket.remove(key);
      pointers.delete(key);
      await bucket.remove(pointer.key);
      count += 1;
      bytes += pointer.sizeBytes;
    },
  );
  return { used, count, bytes };
}

function parsePointer(text: string | undefined): Pointer | undefined {
  const value = parseJson(text);
  if (!isFields(value)) return undefined;
  const { key, sizeBytes } = value;
  return typeof key === "string" && typeof sizeBytes === "number" ? { key, sizeBytes } : undefined;
}
