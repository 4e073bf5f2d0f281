import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import type { ContentFiles, ContentReader } from "./content-files.ts";
import { openContentWriter, statOrClose } from "./node-content-writer.ts";

let serial = 0;

/** Returns the real machine's `ContentFiles`, in a file of their own because no submission needs them. */
export function nodeContentFiles(): ContentFiles {
  return {
    openWriter: openContentWriter,
    openReader,
    replace,
    write,
    touch,
    move: (from, to) => withDirectory(to, () => fs.rename(from, to)),
    remove: (path) => unlessMissing(() => fs.unlink(path)),
    readText: (path) => unlessMissing(() => fs.readFile(path, "utf8")),
    list: async (directory) => (await unlessMissing(() => fs.readdir(directory))) ?? [],
    syncDirectory,
    async freeBytes(path) {
      const { bavail, bsize } = await fs.statfs(path);
      return bavail * bsize;
    },
  };
}

async function openReader(path: string): Promise<ContentReader | undefined> {
  const handle = await unlessMissing(() => fs.open(path, "r"));
  if (handle === undefined) return undefined;
  const { size } = await statOrClose(handle);
  return {
    sizeBytes: size,
    async read(offset, sizeBytes) {
      const buffer = Buffer.allocUnsafe(sizeBytes);
      let filled = 0;
      for (let read = -1; read !== 0 && filled < sizeBytes; filled += read) {
        read = (await handle.read(buffer, filled, sizeBytes - filled, offset + filled)).bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    close: () => handle.close(),
  };
}

function write(path: string, content: string): Promise<void> {
  return withDirectory(path, () => fs.writeFile(path, content, { mode: 0o600 }));
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  try {
    await fs.utimes(path, now, now);
  } catch (error) {
    // A file of another user can be writable without permission to set its times.
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "EPERM") throw error;
    await write(path, "");
  }
}

async function replace(path: string, content: string): Promise<void> {
  serial += 1;
  const temporary = `${path}.${process.pid}-${serial}.tmp`;
  try {
    const handle = await fs.open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(content);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Creates the directory only after a failure, because it usually exists. */
async function withDirectory(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await work();
  }
}

const syncing = new Map<string, DirectorySync>();

interface DirectorySync {
  /** Never rejects. */
  readonly running: Promise<void>;
  /** Sync for all callers since this one began. */
  next?: Promise<void>;
}

/** Syncs a directory. Concurrent callers share one sync that begins after their calls. */
function syncDirectory(directory: string): Promise<void> {
  const last = syncing.get(directory);
  if (last !== undefined) {
    last.next ??= last.running.then(() => startSync(directory));
    return last.next;
  }
  return startSync(directory);
}

function startSync(directory: string): Promise<void> {
  const work = syncNow(directory);
  const own: DirectorySync = { running: work.catch(() => {}) };
  syncing.set(directory, own);
  void own.running.then(() => {
    if (own.next === undefined) syncing.delete(directory);
  });
  return work;
}

async function syncNow(directory: string): Promise<void> {
  const handle = await fs.open(directory, "r");
  try {
    await handle.sync();
  } catch {
    // Some file systems cannot sync a directory and do not need to.
  } finally {
    await handle.close();
  }
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
