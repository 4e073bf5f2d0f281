import type { ContentReader } from "../../../host/content-files.ts";
import type { ListedObject } from "../../../s3/bucket.ts";
import { isFields } from "../../../values/fields.ts";
import { eachOf } from "../../each-of.ts";
import type { Blobs } from "../blobs.ts";
import { parseJson } from "../bundle-record.ts";
import { hexOf } from "../layout.ts";
import { openObject } from "./open-object.ts";
import type { S3Scope } from "./s3-scope.ts";

/** What a blob's object says: where its content is, and how large. Contents stay where they came: to move them would be to copy. */
interface Pointer {
  readonly key: string;
  readonly sizeBytes: number;
}

const objectsAtOnce = 16;

/** The contents of a store in a bucket. */
export function openS3Blobs({ bucket, layout, adopted }: S3Scope): Blobs {
  const readers = new Map<string, number>();
  const pointers = new Map<string, { readonly etag: string; readonly pointer: Pointer }>();
  const markOf = (namespace: string, { digest, size }: { digest: `sha256:${string}`; size: number }) =>
    `${layout.ownedBy(namespace)}/${hexOf(digest)}-${size}`;
  const readPointer = async (key: string): Promise<Pointer | undefined> => {
    const found = await bucket.readText(key);
    const pointer = parsePointer(found?.text);
    if (found === undefined || pointer === undefined) {
      pointers.delete(key);
      return undefined;
    }
    pointers.set(key, { etag: found.etag, pointer });
    return pointer;
  };
  const knownPointer = async ({ key, etag }: ListedObject) => {
    const known = pointers.get(key);
    return known?.etag === etag ? known.pointer : await readPointer(key);
  };
  const all = async (prefix: string) => {
    const objects: ListedObject[] = [];
    for await (const object of bucket.list(`${prefix}/`)) objects.push(object);
    return objects;
  };
  const sweepMarks = async (named: ReadonlyMap<string, ReadonlySet<string>>, sinceMs: number) => {
    const needed = new Set<string>();
    await eachOf(await all(layout.owned), objectsAtOnce, async ({ key, modifiedMs }) => {
      const [folder = "", mark = ""] = key.slice(layout.owned.length + 1).split("/");
      const hex = mark.slice(0, 64);
      const isNeeded = named.get(folder)?.has(hex) === true || modifiedMs > sinceMs;
      // Somebody may have needed it since the list was made.
      if (isNeeded || ((await bucket.info(key))?.modifiedMs ?? 0) > sinceMs) needed.add(hex);
      else await bucket.remove(key);
    });
    return needed;
  };
  return {
    async has(namespace, blob) {
      const [mark, pointer] = await Promise.all([
        bucket.info(markOf(namespace, blob)),
        bucket.info(layout.blob(blob.digest)),
      ]);
      return mark !== undefined && pointer !== undefined;
    },
    async keep(namespace, blob) {
      await bucket.put(markOf(namespace, blob), "");
    },
    async adopt(key, namespace, blob) {
      const own = layout.blob(blob.digest);
      const there = await readPointer(own);
      const isThere = there !== undefined && (await bucket.info(there.key))?.sizeBytes === blob.size;
      // Written again, so that its age begins anew and nothing sweeps it just now.
      const pointer: Pointer = isThere ? there : { key, sizeBytes: blob.size };
      // Before: if it is not known whether the pointer was written, the content must stay.
      if (!isThere) adopted.add(key);
      await bucket.put(own, JSON.stringify(pointer));
      await bucket.put(markOf(namespace, blob), "");
      if (isThere) await bucket.remove(key);
    },
    async open(digest) {
      const [hex, own] = [hexOf(digest), layout.blob(digest)];
      readers.set(hex, (readers.get(hex) ?? 0) + 1);
      const leave = () => {
        const left = (readers.get(hex) ?? 1) - 1;
        if (left === 0) readers.delete(hex);
        else readers.set(hex, left);
      };
      try {
        const pointer = pointers.get(own)?.pointer ?? (await readPointer(own));
        const reader = pointer === undefined ? undefined : await openPointed(pointer, own);
        if (reader === undefined) {
          leave();
          return undefined;
        }
        return { ...reader, close: () => reader.close().finally(leave) };
      } catch (error) {
        leave();
        throw error;
      }
    },
    async usedBytes(namespace) {
      const marks = await all(layout.ownedBy(namespace));
      return marks.reduce((sum, { key }) => sum + Number(key.slice(key.lastIndexOf("-") + 1)), 0);
    },
    async sweep(named, sinceMs) {
      // In this order: what becomes a blob meanwhile is seen as one.
      const contents = await all(layout.contents);
      const uploads = new Set((await all(layout.uploads)).map(({ key }) => key.split("/").at(-2)));
      const needed = await sweepMarks(named, sinceMs);
      const used = new Set<string>();
      let [count, bytes] = [0, 0];
      await eachOf(await all(layout.blobs), objectsAtOnce, async (object) => {
        const hex = object.key.slice(layout.blobs.length + 1).replace("/", "");
        const pointer = await knownPointer(object);
        if (pointer === undefined) return;
        const isNeeded = object.modifiedMs > sinceMs || needed.has(hex) || readers.has(hex);
        if (isNeeded || ((await bucket.info(object.key))?.modifiedMs ?? 0) > sinceMs) {
          used.add(pointer.key);
          return;
        }
        await bucket.remove(object.key);
        pointers.delete(object.key);
        await bucket.remove(pointer.key);
        count += 1;
        bytes += pointer.sizeBytes;
      });
      // Of servers that were killed, or of two that brought the same.
      await eachOf(contents, objectsAtOnce, async ({ key, modifiedMs }) => {
        const isOnItsWay = uploads.has(key.slice(layout.contents.length + 1));
        if (modifiedMs <= sinceMs && !used.has(key) && !isOnItsWay) await bucket.remove(key);
      });
      return { count, bytes };
    },
  };

  /** Another server may have removed it and taken it in again since. */
  async function openPointed(pointer: Pointer, own: string): Promise<ContentReader | undefined> {
    const reader = await openObject(bucket, pointer);
    if (reader !== undefined) return reader;
    const now = await readPointer(own);
    return now === undefined || now.key === pointer.key ? undefined : openObject(bucket, now);
  }
}

function parsePointer(text: string | undefined): Pointer | undefined {
  const value = parseJson(text);
  if (!isFields(value)) return undefined;
  const { key, sizeBytes } = value;
  return typeof key === "string" && typeof sizeBytes === "number" ? { key, sizeBytes } : undefined;
}
