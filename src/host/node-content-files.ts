import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import type { ContentFiles, ContentReader } from "./content-files.ts";
import { openContentWriter } from "./node-content-writer.ts";

let serial = 0;

/** The real machine's large files: apart from its others, because no submission needs them. */
export function nodeContentFiles(): ContentFiles {
  return {
    openWriter: openContentWriter,
    openReader,
    replace,
    write: (path, content) => withDirectory(path, () => fs.writeFile(path, content, { mode: 0o600 })),
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
  return {
    sizeBytes: (await handle.stat()).size,
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

/** Mostly the directory is there. */
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
  /** Of all who have asked since it began. */
  next?: Promise<void>;
}

/** Many who ask at the same time wait for the same: one that began after they had asked. */
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
    // Some file systems cannot; then they need not.
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
