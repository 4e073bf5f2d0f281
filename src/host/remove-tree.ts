import type { Files } from "./host.ts";

/**
 * Removes a directory that other programs wrote to, such as a container. Makes its directories writable if necessary. Leaves
 * what cannot be removed, because neither a shutdown nor a start may fail for it.
 */
export function removeTree(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    try {
      makeDirectoriesWritable(files, path);
      files.remove(path);
    } catch {
      // The remaining files belong to another user.
    }
  }
}

function makeDirectoriesWritable(files: Files, path: string): void {
  if (files.info(path, { followLinks: false })?.kind !== "directory") return;
  files.changeMode(path, 0o700);
  for (const name of files.list(path) ?? []) makeDirectoriesWritable(files, `${path}/${name}`);
}
