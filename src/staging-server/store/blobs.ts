import { dirname } from "node:path";
import type { ContentReader } from "../../host/content-files.ts";
import type { Digest } from "../../staging-client/bundle.ts";
import type { Blob } from "../../staging-client/protocol.ts";
import type { Awaitable } from "./awaitable.ts";
import type { StoreScope } from "./bundles.ts";
import { hexOf } from "./layout.ts";

/**
 * Contents, each once, by their digest. A namespace has those that it has brought itself: so nobody learns what others have,
 * and nobody gets at a content whose digest is all he knows.
 */
export interface Blobs {
  readonly has: (namespace: string, blob: Blob) => Awaitable<boolean>;
  /** A namespace needs a content that it has: from now on its grace counts anew. */
  readonly keep: (namespace: string, blob: Blob) => Awaitable<void>;
  /** Takes a checked file over as a content of a namespace; the file is gone from where it was. */
  readonly adopt: (file: string, namespace: string, blob: Blob) => Promise<void>;
  /** `undefined` when it is gone. Close it, or it is never removed. */
  readonly open: (digest: Digest) => Promise<ContentReader | undefined>;
  /** Bytes of all contents that a namespace has. */
  readonly usedBytes: (namespace: string) => Awaitable<number>;
  /**
   * Removes contents that no bundle names, that have not been needed since then (ms since 1970), and that nobody reads.
   *
   * @param named the digests that bundles name, by the folder of their namespace below `owned`
   * @returns how many, and their bytes
   */
  readonly sweep: (
    named: ReadonlyMap<string, ReadonlySet<string>>,
    notNeededSinceMs: number,
  ) => Awaitable<{ readonly count: number; readonly bytes: number }>;
}

/** The contents of a store on a disk. */
export function openBlobs({ host, contents, layout }: StoreScope): Blobs {
  const { files } = host;
  const readers = new Map<string, number>();
  const marksOf = (namespace: string) => files.list(layout.ownedBy(namespace)) ?? [];
  const markOf = (namespace: string, { digest, size }: Blob) =>
    `${layout.ownedBy(namespace)}/${hexOf(digest)}-${size}`;
  const isOld = (path: string, sinceMs: number) => (files.info(path)?.modifiedMs ?? Infinity) <= sinceMs;
  const touch = (path: string) => contents.write(path, "\n");
  return {
    has: (namespace, blob) =>
      files.info(markOf(namespace, blob)) !== undefined && files.info(layout.blob(blob.digest)) !== undefined,
    keep: (namespace, blob) => touch(markOf(namespace, blob)),
    async adopt(file, namespace, blob) {
      const [path, mark] = [layout.blob(blob.digest), markOf(namespace, blob)];
      // First, so that nothing sweeps the content just now.
      await touch(mark);
      await contents.move(file, path);
      await Promise.all([contents.syncDirectory(dirname(path)), contents.syncDirectory(dirname(mark))]);
    },
    async open(digest) {
      const hex = hexOf(digest);
      readers.set(hex, (readers.get(hex) ?? 0) + 1);
      const leave = () => {
        const left = (readers.get(hex) ?? 1) - 1;
        if (left === 0) readers.delete(hex);
        else readers.set(hex, left);
      };
      const reader = await contents.openReader(layout.blob(digest)).catch((error: unknown) => {
        leave();
        throw error;
      });
      if (reader === undefined) leave();
      return reader && { ...reader, close: () => reader.close().finally(leave) };
    },
    usedBytes: (namespace) => marksOf(namespace).reduce((sum, mark) => sum + sizeIn(mark), 0),
    sweep(named, sinceMs) {
      const needed = new Set<string>();
      for (const folder of files.list(layout.owned) ?? []) {
        for (const mark of files.list(`${layout.owned}/${folder}`) ?? []) {
          const hex = mark.slice(0, 64);
          const path = `${layout.owned}/${folder}/${mark}`;
          if (named.get(folder)?.has(hex) === true || !isOld(path, sinceMs)) needed.add(hex);
          else files.remove(path);
        }
      }
      let [count, bytes] = [0, 0];
      for (const folder of files.list(layout.blobs) ?? []) {
        for (const name of files.list(`${layout.blobs}/${folder}`) ?? []) {
          const hex = `${folder}${name}`;
          const path = `${layout.blobs}/${folder}/${name}`;
          if (needed.has(hex) || readers.has(hex) || !isOld(path, sinceMs)) continue;
          count += 1;
          bytes += files.info(path)?.sizeBytes ?? 0;
          files.remove(path);
        }
      }
      return { count, bytes };
    },
  };
}

function sizeIn(mark: string): number {
  return Number(mark.slice(65));
}
