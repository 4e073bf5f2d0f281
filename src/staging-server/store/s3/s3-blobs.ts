import type { ContentReader } from "../../../host/content-files.ts";
import type { ListedObject } from "../../../s3/bucket.ts";
import type { Blob } from "../../../staging-client/protocol.ts";
import { isFields } from "../../../values/fields.ts";
import { forEachConcurrent } from "../../for-each-concurrent.ts";
import type { Blobs } from "../blobs.ts";
import { parseJson } from "../bundle-record.ts";
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
  /** By their keys. */
  readonly pointers: Map<string, { readonly etag: string; readonly pointer: Pointer }>;
  /** Number of current readers of each content, by its digest in hex. */
  readonly readers: Map<string, number>;
}

/** The contents of a store in a bucket. */
export function openS3Blobs(store: S3Scope): Blobs {
  const scope: BlobScope = { ...store, pointers: new Map(), readers: new Map() };
  const { bucket, layout } = scope;
  return {
    async has(namespace, blob) {
      const [mark, pointer] = await Promise.all([
        bucket.info(markOf(scope, namespace, blob)),
        bucket.info(layout.blob(blob.digest)),
      ]);
      return mark !== undefined && pointer !== undefined;
    },
    async keep(namespace, blob) {
      await bucket.put(markOf(scope, namespace, blob), "");
    },
    adopt: (key, namespace, blob) => adopt(scope, key, { namespace, blob }),
    async open(digest) {
      const leave = enter(scope, hexOf(digest));
      try {
        const reader = await openBlob(scope, layout.blob(digest));
        if (reader === undefined) leave();
        return reader && { ...reader, close: () => reader.close().finally(leave) };
      } catch (error) {
        leave();
        throw error;
      }
    },
    async usedBytes(namespace) {
      const marks = await allIn(scope, layout.ownedBy(namespace));
      return marks.reduce((sum, { key }) => sum + Number(key.slice(key.lastIndexOf("-") + 1)), 0);
    },
    async sweep(named, sinceMs) {
      // In this order: what becomes a blob meanwhile is seen as one.
      const contents = await allIn(scope, layout.contents);
      const uploads = new Set((await allIn(scope, layout.uploads)).map(({ key }) => key.split("/").at(-2)));
      const needed = await sweepMarks(scope, named, sinceMs);
      const { used, ...swept } = await sweepPointers(scope, needed, sinceMs);
      // Of servers that were killed, or of two that brought the same.
      await forEachConcurrent(contents, maxConcurrentObjects, async ({ key, modifiedMs }) => {
        const isUploading = uploads.has(key.slice(layout.contents.length + 1));
        if (modifiedMs <= sinceMs && !used.has(key) && !isUploading) await bucket.remove(key);
      });
      return swept;
    },
  };
}

/** The object that says that a namespace has a blob. */
function markOf({ layout }: S3Scope, namespace: string, { digest, size }: Blob): string {
  return `${layout.ownedBy(namespace)}/${hexOf(digest)}-${size}`;
}

async function allIn({ bucket }: S3Scope, folder: string): Promise<readonly ListedObject[]> {
  const objects: ListedObject[] = [];
  for await (const object of bucket.list(`${folder}/`)) objects.push(object);
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
  const own = layout.blob(blob.digest);
  const there = await readPointer(scope, own);
  const isThere = there !== undefined && (await bucket.info(there.key))?.sizeBytes === blob.size;
  // Written again, so that its age begins anew and nothing sweeps it just now.
  const pointer: Pointer = isThere ? there : { key, sizeBytes: blob.size };
  // Before: if it is not known whether the pointer was written, the content must stay.
  if (!isThere) adopted.add(key);
  await bucket.put(own, JSON.stringify(pointer));
  await bucket.put(markOf(scope, namespace, blob), "");
  if (isThere) await bucket.remove(key);
}

/** Nobody sweeps what somebody reads. @returns how to leave */
function enter({ readers }: BlobScope, hex: string): () => void {
  readers.set(hex, (readers.get(hex) ?? 0) + 1);
  return () => {
    const left = (readers.get(hex) ?? 1) - 1;
    if (left === 0) readers.delete(hex);
    else readers.set(hex, left);
  };
}

async function openBlob(scope: BlobScope, own: string): Promise<ContentReader | undefined> {
  const pointer = scope.pointers.get(own)?.pointer ?? (await readPointer(scope, own));
  if (pointer === undefined) return undefined;
  const reader = await openObject(scope.bucket, pointer);
  if (reader !== undefined) return reader;
  // Another server may have removed it and taken it in again since.
  const now = await readPointer(scope, own);
  return now === undefined || now.key === pointer.key ? undefined : openObject(scope.bucket, now);
}

/** Removes the marks of blobs that no bundle names. @returns the digests of the others, in hex */
async function sweepMarks(
  scope: BlobScope,
  named: ReadonlyMap<string, ReadonlySet<string>>,
  sinceMs: number,
): Promise<ReadonlySet<string>> {
  const { bucket, layout } = scope;
  const needed = new Set<string>();
  await forEachConcurrent(
    await allIn(scope, layout.owned),
    maxConcurrentObjects,
    async ({ key, modifiedMs }) => {
      const [folder = "", mark = ""] = key.slice(layout.owned.length + 1).split("/");
      const hex = mark.slice(0, 64);
      const isNeeded = named.get(folder)?.has(hex) === true || modifiedMs > sinceMs;
      // Somebody may have needed it since the list was made.
      if (isNeeded || ((await bucket.info(key))?.modifiedMs ?? 0) > sinceMs) needed.add(hex);
      else await bucket.remove(key);
    },
  );
  return needed;
}

/** Removes blobs that no namespace has. @returns the keys of the contents of the others, and what was removed */
async function sweepPointers(scope: BlobScope, needed: ReadonlySet<string>, sinceMs: number) {
  const { bucket, layout, readers, pointers } = scope;
  const used = new Set<string>();
  let [count, bytes] = [0, 0];
  await forEachConcurrent(
    await allIn(scope, layout.blobs),
    maxConcurrentObjects,
    async ({ key, etag, modifiedMs }) => {
      const hex = key.slice(layout.blobs.length + 1).replace("/", "");
      const known = pointers.get(key);
      const pointer = known?.etag === etag ? known.pointer : await readPointer(scope, key);
      if (pointer === undefined) return;
      const isNeeded = modifiedMs > sinceMs || needed.has(hex) || readers.has(hex);
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
