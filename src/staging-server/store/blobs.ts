import { dirname } from "node:path";
import type { ContentReader } from "../../host/content-files.ts";
import type { Digest } from "../../staging-client/bundle.ts";
import type { Blob } from "../../staging-client/protocol.ts";
import type { Awaitable } from "./awaitable.ts";
import type { StoreScope } from "./bundles.ts";
import { contentReaders } from "./content-readers.ts";
import { hexOf } from "./layout.ts";

/**
 * Contents by their digest, each stored once. A namespace can use only contents that it has uploaded itself. Knowledge of a digest
 * therefore neither reveals nor grants access to the contents of other namespaces.
 */
export interface Blobs {
  /** Returns whether a namespace has uploaded a content that still exists. */
  readonly has: (namespace: string, blob: Blob) => Awaitable<boolean>;
  /** Restarts the retention time of a content of a namespace. */
  readonly keep: (namespace: string, blob: Blob) => Awaitable<void>;
  /** Moves a verified file into the store as a content of a namespace. */
  readonly adopt: (file: string, namespace: string, blob: Blob) => Promise<void>;
  /** Opens a content; `undefined` if it does not exist. A content is not removed while it is open. */
  readonly open: (digest: Digest) => Promise<ContentReader | undefined>;
  /** Returns the total size of the contents of a namespace. */
  readonly usedBytes: (namespace: string) => Awaitable<number>;
  /**
   * Removes contents that no bundle references, that were not kept since `notNeededSinceMs` (ms since 1970), and that are not open.
   *
   * @param referenced digests that bundles reference, in hex, by the hash of their namespace
   * @returns number and total size of the removed contents
   */
  readonly sweep: (
    referenced: ReadonlyMap<string, ReadonlySet<string>>,
    notNeededSinceMs: number,
  ) => Awaitable<{ readonly count: number; readonly bytes: number }>;
}

/** Opens the contents of a store on a disk. */
export function openBlobs({ host, contents, layout }: StoreScope): Blobs {
  const { files } = host;
  const readers = contentReaders();
  const marksOf = (namespace: string) => files.list(layout.ownedBy(namespace)) ?? [];
  const isOld = (path: string, sinceMs: number) => (files.info(path)?.modifiedMs ?? Infinity) <= sinceMs;
  return {
    has: (namespace, blob) =>
      files.info(layout.mark(namespace, blob)) !== undefined && files.info(layout.blob(blob.digest)) !== undefined,
    keep: (namespace, blob) => contents.touch(layout.mark(namespace, blob)),
    async adopt(file, namespace, blob) {
      const [path, mark] = [layout.blob(blob.digest), layout.mark(namespace, blob)];
      // Write the mark first, so that a concurrent cleanup does not remove the content.
      await contents.touch(mark);
      await contents.move(file, path);
      await Promise.all([contents.syncDirectory(dirname(path)), contents.syncDirectory(dirname(mark))]);
    },
    open: (digest) => readers.open(hexOf(digest), () => contents.openReader(layout.blob(digest))),
    usedBytes: (namespace) => marksOf(namespace).reduce((sum, mark) => sum + sizeOf(mark), 0),
    sweep(referenced, sinceMs) {
      const needed = new Set<string>();
      for (const namespaceHash of files.list(layout.owned) ?? []) {
        for (const mark of files.list(`${layout.owned}/${namespaceHash}`) ?? []) {
          const hex = mark.slice(0, 64);
          const path = `${layout.owned}/${namespaceHash}/${mark}`;
          if (referenced.get(namespaceHash)?.has(hex) === true || !isOld(path, sinceMs)) needed.add(hex);
          else files.remove(path);
        }
      }
      let [count, bytes] = [0, 0];
      for (const prefix of files.list(layout.blobs) ?? []) {
        for (const name of files.list(`${layout.blobs}/${prefix}`) ?? []) {
          const hex = `${prefix}${name}`;
          const path = `${layout.blobs}/${prefix}/${name}`;
          if (needed.has(hex) || readers.isRead(hex) || !isOld(path, sinceMs)) continue;
          count += 1;
          bytes += files.info(path)?.sizeBytes ?? 0;
          files.remove(path);
        }
      }
      return { count, bytes };
    },
  };
}

function sizeOf(mark: string): number {
  return Number(mark.slice(65));
}
