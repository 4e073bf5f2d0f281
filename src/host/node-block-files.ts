import * as fs from "node:fs";
import type { BlockFile, BlockFiles } from "./block-files.ts";
import type { FileSender } from "./file-sender.ts";
import { skipBytes } from "./skip-bytes.ts";

/** Time without blocking calls after one of them had to wait for a disk. */
const asynchronousMs = 1000;
/** A call that lasts longer has waited for a network file system if no disk was read, unless it waited for a processor. */
const maxBlockingMs = 20;

/** Interval of reading the count of blocks, which takes as long as a short call. */
const checkIntervalMs = 1;

/** Bytes for which using a second processor outweighs the change of the thread. */
const minThreadBytes = 512 * 1024;

const disk = { readBlocks: -1, preemptions: 0, checkedMs: Number.NEGATIVE_INFINITY, asynchronousUntilMs: 0 };

/**
 * Returns whether calls need not wait, because this process has not read from a disk lately: what it uses is in the page cache.
 *
 * A call then takes microseconds, and twice as long in another thread. The count of blocks that were read shows it. Time does not: a
 * busy processor makes calls slow too. If a blocking call had to wait, all calls are asynchronous for a while.
 */
function isCached(): boolean {
  const now = performance.now();
  if (now < disk.checkedMs + checkIntervalMs) return now >= disk.asynchronousUntilMs;
  disk.checkedMs = now;
  const { fsRead, involuntaryContextSwitches } = process.resourceUsage();
  disk.preemptions = involuntaryContextSwitches;
  if (fsRead !== disk.readBlocks) {
    disk.readBlocks = fsRead;
    disk.asynchronousUntilMs = now + asynchronousMs;
  }
  return now >= disk.asynchronousUntilMs;
}

/** Runs a blocking call right after `isCached`. */
function runBlocking<T>(call: () => T): T {
  const startedMs = performance.now();
  try {
    return call();
  } finally {
    const now = performance.now();
    // A process that has lost its processor did not wait for a file system, or not only.
    const isSlow = now - startedMs > maxBlockingMs;
    if (isSlow && process.resourceUsage().involuntaryContextSwitches === disk.preemptions) {
      disk.asynchronousUntilMs = now + asynchronousMs;
    }
  }
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

/**
 * Returns the real machine's `BlockFiles`, in a file of their own because no submission needs them. Requires Linux.
 *
 * @param sender sends files to sockets; `undefined`: they must be read
 */
export function nodeBlockFiles(sender?: FileSender): BlockFiles {
  return { open: (directory, name) => open(directory, name, sender), identify, remove };
}

async function open(directory: string, name: string, sender: FileSender | undefined): Promise<BlockFile | undefined> {
  const path = `${directory}/${name}`;
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const descriptor = await openDescriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor === undefined) return undefined;
  try {
    // Both calls read memory of the kernel only: the inode is loaded.
    const stats = fs.fstatSync(descriptor);
    if (stats.isFile() && pathOf(descriptor) === path) return openFile(descriptor, stats, sender);
  } catch (error) {
    close(descriptor);
    throw error;
  }
  close(descriptor);
  return undefined;
}

function openFile(descriptor: number, stats: fs.Stats, sender: FileSender | undefined): BlockFile {
  let usable = sender;
  return {
    identity: identityOf(stats),
    sizeBytes: stats.size,
    currentBytes: () => fs.fstatSync(descriptor).size,
    read: (buffers, position) => readFully(descriptor, buffers, position),
    canSend: () => usable !== undefined && isCached(),
    async sendTo(socket, position, sizeBytes) {
      const part = { descriptor, position, sizeBytes };
      const sent =
        (sizeBytes < minThreadBytes
          ? runBlocking(() => usable?.send(part, socket))
          : await usable?.sendInThread(part, socket)) ?? "unsupported";
      if (sent === "unsupported") usable = undefined;
      return sent;
    },
    sendBefore: (bytes, socket) => usable?.sendBytes(bytes, socket) ?? 0,
    close: () => close(descriptor),
  };
}

/** Returns the canonical path of an open file or directory. */
function pathOf(descriptor: number): string {
  return fs.readlinkSync(`/proc/self/fd/${descriptor}`);
}

async function identify(directory: string, name: string): Promise<string | undefined> {
  const path = `${directory}/${name}`;
  if (isCached()) {
    const stats = runBlocking(() => fs.lstatSync(path, { throwIfNoEntry: false }));
    return stats === undefined ? undefined : identityOf(stats);
  }
  return await new Promise((resolve, reject) => {
    fs.lstat(path, (error, stats) => {
      if (error === null) resolve(identityOf(stats));
      else if (isMissing(error)) resolve(undefined);
      else reject(error);
    });
  });
}

async function remove(directory: string, name: string): Promise<boolean> {
  const descriptor = await openDescriptor(directory, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  if (descriptor === undefined) return false;
  try {
    if (pathOf(descriptor) !== directory) return false;
    // By the open directory, because its path may lead elsewhere meanwhile.
    return await unlink(`/proc/self/fd/${descriptor}/${name}`);
  } finally {
    close(descriptor);
  }
}

function unlink(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    fs.unlink(path, (error) => {
      if (error === null) resolve(true);
      else if (isMissing(error)) resolve(false);
      else reject(error);
    });
  });
}

async function openDescriptor(path: string, flags: number): Promise<number | undefined> {
  if (isCached()) {
    try {
      return runBlocking(() => fs.openSync(path, flags));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
  return await new Promise((resolve, reject) => {
    fs.open(path, flags, (error, descriptor) => {
      if (error === null) resolve(descriptor);
      else if (isMissing(error)) resolve(undefined);
      else reject(error);
    });
  });
}

/** Reads until the buffers are full or the file ends. */
async function readFully(descriptor: number, buffers: readonly Uint8Array[], position: number): Promise<number> {
  const sizeBytes = buffers.reduce((sum, { length }) => sum + length, 0);
  let filled = 0;
  while (filled < sizeBytes) {
    const rest = filled === 0 ? buffers : skipBytes(buffers, filled);
    const read = isCached()
      ? runBlocking(() => fs.readvSync(descriptor, rest, position + filled))
      : await readLater(descriptor, rest, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

function readLater(descriptor: number, buffers: readonly Uint8Array[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytesRead: number) => (error === null ? resolve(bytesRead) : reject(error));
    const [first] = buffers;
    if (first !== undefined && buffers.length === 1) fs.read(descriptor, first, 0, first.length, position, done);
    else fs.readv(descriptor, buffers, position, done);
  });
}

/** Does not wait: closing a removed file frees its disk space, which takes time. */
function close(descriptor: number): void {
  fs.close(descriptor, () => {});
}

function identityOf({ dev, ino, size, mtimeMs }: fs.Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}`;
}

/** Returns whether a path names no file: it does not exist, or is a link (ELOOP) or not what was asked for. */
function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENXIO" || code === "ENAMETOOLONG";
}
