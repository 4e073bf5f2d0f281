import { dirname } from "node:path/posix";
import { forEachConcurrent } from "../../../net/for-each-concurrent.ts";
import type { Blob } from "../../../staging-client/protocol.ts";
import type { Blobs } from "../blobs.ts";
import { contentReaders } from "../content-readers.ts";
import { hexOf } from "../layout.ts";
import { listParts, openParts } from "./hdfs-content.ts";
import { moveTo, touch } from "./hdfs-files.ts";
import { type HdfsScope, storePermissions } from "./hdfs-scope.ts";
import { dataName } from "./hdfs-uploads.ts";

const maxConcurrentRemovals = 16;

/** Opens the contents of a store in an HDFS. Each is a directory of parts. */
export function openHdfsBlobs(scope: HdfsScope): Blobs {
  const { hdfs, layout } = scope;
  const readers = contentReaders();
  return {
    async has(namespace, blob) {
      const [mark, content] = await Promise.all([
        hdfs.status(layout.mark(namespace, blob)),
        hdfs.status(layout.blob(blob.digest)),
      ]);
      return mark !== undefined && content !== undefined;
    },
    keep: (namespace, blob) => touch(scope, layout.mark(namespace, blob)),
    adopt: (path, namespace, blob) => adopt(scope, path, { namespace, blob }),
    open: (digest) => readers.open(hexOf(digest), () => openParts(scope, layout.blob(digest))),
    async usedBytes(namespace) {
      const marks = (await hdfs.list(layout.ownedBy(namespace))) ?? [];
      return marks.reduce((sum, { name }) => sum + Number(name.slice(65)), 0);
    },
    async sweep(referenced, sinceMs) {
      // List the contents before the marks: a content gets its mark before it becomes one.
      const contents = await listContents(scope);
      const needed = await sweepMarks(scope, referenced, sinceMs);
      let [count, bytes] = [0, 0];
      await forEachConcurrent(contents, maxConcurrentRemovals, async ({ hex, path }) => {
        if (needed.has(hex) || readers.isRead(hex)) return;
        const removedBytes = await removeUnlessMarked(scope, hex, path);
        if (removedBytes === undefined) return;
        count += 1;
        bytes += removedBytes;
      });
      return { count, bytes };
    },
  };
}

async function adopt(
  scope: HdfsScope,
  path: string,
  { namespace, blob }: { readonly namespace: string; readonly blob: Blob },
): Promise<void> {
  const { hdfs, layout } = scope;
  const target = layout.blob(blob.digest);
  await touch(scope, layout.mark(namespace, blob));
  if ((await listParts(scope, target))?.sizeBytes === blob.size) return;
  await hdfs.makeDirectory(dirname(target), storePermissions.directory);
  // HDFS moves a directory into an existing one: another server has stored the same content meanwhile.
  if (await moveTo(hdfs, path, target)) await hdfs.remove(`${target}/${dataName}`);
  // A third server finds the second one's directory there, and leaves its own to the end of its upload.
  else if ((await listParts(scope, target))?.sizeBytes !== blob.size)
    throw new Error(`${path} cannot become ${target}`);
}

async function listContents({ hdfs, layout }: HdfsScope) {
  const found: { readonly hex: string; readonly path: string }[] = [];
  for (const prefix of (await hdfs.list(layout.blobs)) ?? []) {
    for (const { name } of (await hdfs.list(`${layout.blobs}/${prefix.name}`)) ?? []) {
      found.push({ hex: `${prefix.name}${name}`, path: `${layout.blobs}/${prefix.name}/${name}` });
    }
  }
  return found;
}

/** Removes the marks of contents that no bundle references. Returns the digests of the remaining marks, in hex. */
async function sweepMarks(
  scope: HdfsScope,
  referenced: ReadonlyMap<string, ReadonlySet<string>>,
  sinceMs: number,
): Promise<ReadonlySet<string>> {
  const { hdfs, layout } = scope;
  const needed = new Set<string>();
  for (const namespace of (await hdfs.list(layout.owned)) ?? []) {
    const directory = `${layout.owned}/${namespace.name}`;
    const marks = (await hdfs.list(directory)) ?? [];
    await forEachConcurrent(marks, maxConcurrentRemovals, async ({ name, modifiedMs }) => {
      const hex = name.slice(0, 64);
      const isNeeded = referenced.get(namespace.name)?.has(hex) === true || modifiedMs > sinceMs;
      // A client may have renewed the mark since it was listed.
      if (isNeeded || ((await hdfs.status(`${directory}/${name}`))?.modifiedMs ?? 0) > sinceMs) needed.add(hex);
      else await hdfs.remove(`${directory}/${name}`);
    });
  }
  return needed;
}

/**
 * Removes a content unless it has a mark. Moves it away first: an upload of the same content meanwhile either finds it missing and
 * stores its own, or has written its mark, and the content is moved back.
 *
 * @returns the size of the removed content
 */
async function removeUnlessMarked(scope: HdfsScope, hex: string, path: string): Promise<number | undefined> {
  const { hdfs, layout, host } = scope;
  const removed = `${layout.probes}/${host.random.uuid()}`;
  if (!(await moveTo(hdfs, path, removed))) return undefined;
  if (await isMarked(scope, hex)) {
    if ((await hdfs.status(path)) !== undefined || !(await moveTo(hdfs, removed, path))) await hdfs.remove(removed);
    return undefined;
  }
  const bytes = (await listParts(scope, removed))?.sizeBytes ?? 0;
  await hdfs.remove(removed);
  return bytes;
}

async function isMarked({ hdfs, layout }: HdfsScope, hex: string): Promise<boolean> {
  for (const namespace of (await hdfs.list(layout.owned)) ?? []) {
    const marks = (await hdfs.list(`${layout.owned}/${namespace.name}`)) ?? [];
    if (marks.some(({ name }) => name.startsWith(hex))) return true;
  }
  return false;
}
