import type { HdfsScope } from "./hdfs-scope.ts";
import { storePermissions } from "./hdfs-scope.ts";

/**
 * Writes a file that does not exist yet, completely or not at all: under a temporary name, then renamed. HDFS never renames over a
 * file. The directory must exist.
 *
 * @returns false if the file exists or the directory does not
 */
export async function writeNew(
  { hdfs, layout, host }: HdfsScope,
  path: string,
  content: Uint8Array | string,
): Promise<boolean> {
  const temporary = `${layout.probes}/${host.random.uuid()}`;
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  let isWritten = false;
  try {
    await hdfs.create({ path: temporary, content: bytes, permission: storePermissions.file });
    isWritten = await moveTo(hdfs, temporary, path);
    return isWritten;
  } finally {
    // The original error matters. The cleaner removes what remains.
    if (!isWritten) await hdfs.remove(temporary).catch(() => {});
  }
}

/** Renames a path with a unique name. Returns false if the target exists or its directory does not. */
export async function moveTo(hdfs: HdfsScope["hdfs"], from: string, to: string): Promise<boolean> {
  if (await hdfs.rename(from, to)) return true;
  // A repeated request, after a lost response, finds that the first one has renamed it.
  return (await hdfs.status(from)) === undefined && (await hdfs.status(to)) !== undefined;
}

const maxRecordBytes = 64 * 1024 * 1024;

/** Reads a small file. `undefined` if it does not exist. */
export async function readText({ hdfs }: Pick<HdfsScope, "hdfs">, path: string): Promise<string | undefined> {
  const opened = await hdfs.open(path);
  if (opened === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of opened.body) {
      bytes += chunk.length;
      if (bytes > maxRecordBytes) throw new Error(`${path} is larger than a record of the store`);
      chunks.push(chunk);
    }
  } finally {
    opened.close();
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Sets the modification time of a file to now. Creates an empty file if it does not exist. */
export async function touch({ hdfs, host }: HdfsScope, path: string): Promise<void> {
  if (await hdfs.setModified(path, host.clock.now())) return;
  await hdfs.create({ path, content: new Uint8Array(), permission: storePermissions.file });
}
