import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../errors/message-of.ts";
import type { DirectoryEntry, DirectoryTrees } from "./directory-trees.ts";

/** Returns the real machine's `DirectoryTrees`, in a file of their own because no submission needs them. Requires Linux. */
export function nodeDirectoryTrees(): DirectoryTrees {
  return {
    list: async (directory) => (await inDirectory(directory, listDirectories)) ?? [],
    move: async (directory, target) =>
      (await inDirectory(dirname(directory), (path) => move(path, directory, target))) ?? false,
    async remove(directory) {
      const removal: Removal = { bytes: 0 };
      await unlessProblem(removal, () =>
        inDirectory(dirname(directory), (path) => removeEntry(removal, path, nameOf(directory), 0)),
      );
      return removal;
    },
  };
}

/** Deeper trees are not removed: each level needs an open directory. */
const maxDepth = 64;

/**
 * Opens a directory and calls `work` with a path that names it, even if other programs move or replace it meanwhile. Returns `undefined`
 * if it does not exist.
 */
async function inDirectory<T>(
  directory: string,
  work: (path: string) => Promise<T>,
  isCanonical = true,
): Promise<T | undefined> {
  const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
  const handle = await unlessMissing(() => fs.open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (handle === undefined) return undefined;
  try {
    const path = `/proc/self/fd/${handle.fd}`;
    if (isCanonical && (await fs.readlink(path)) !== directory) return undefined;
    return await work(path);
  } finally {
    await handle.close();
  }
}

async function listDirectories(path: string): Promise<readonly DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  for (const name of await fs.readdir(path)) {
    const stats = await unlessMissing(() => fs.lstat(`${path}/${name}`));
    if (stats?.isDirectory() === true) entries.push({ name, modifiedMs: stats.mtimeMs });
  }
  return entries;
}

async function move(parent: string, directory: string, target: string): Promise<boolean> {
  const moved = await unlessMissing(async () => {
    await fs.rename(`${parent}/${nameOf(directory)}`, target);
    return true;
  });
  return moved ?? false;
}

/** Removal that has started. The first problem is the reason: directories are not empty because of it. */
interface Removal {
  bytes: number;
  problem?: string;
}

async function unlessProblem(removal: Removal, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    removal.problem ??= messageOf(error);
  }
}

/** Removes an entry of an open directory. */
async function removeEntry(removal: Removal, parent: string, name: string, depth: number): Promise<void> {
  const path = `${parent}/${name}`;
  await unlessProblem(removal, async () => {
    const stats = await unlessMissing(() => fs.lstat(path));
    if (stats === undefined) return;
    if (!stats.isDirectory()) {
      await unlessMissing(() => fs.unlink(path));
      if (stats.isFile()) removal.bytes += stats.size;
      return;
    }
    if (depth > maxDepth) throw new Error(`the directory ${name} is nested too deeply`);
    await inDirectory(path, (opened) => removeEntries(removal, opened, depth + 1), false);
    await unlessMissing(() => fs.rmdir(path));
  });
}

async function removeEntries(removal: Removal, directory: string, depth: number): Promise<void> {
  for (const name of await fs.readdir(directory)) await removeEntry(removal, directory, name, depth);
}

function nameOf(directory: string): string {
  return directory.slice(directory.lastIndexOf("/") + 1);
}

async function unlessMissing<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // ELOOP: a link has replaced the directory.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
    throw error;
  }
}
