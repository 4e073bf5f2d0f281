import type { Files } from "./host.ts";

/**
 * Removes a folder that others wrote to, such as a container. It may hold folders that even their owner may not enter
 * or change; what still cannot go stays, for neither an end nor a new start must fail over it.
 */
export function removeTree(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    try {
      makeDirectoriesWritable(files, path);
      files.remove(path);
    } catch {
      // Somebody else's.
    }
  }
}

function makeDirectoriesWritable(files: Files, path: string): void {
  if (files.info(path, { followLinks: false })?.kind !== "directory") return;
  files.changeMode(path, 0o700);
  for (const name of files.list(path) ?? []) makeDirectoriesWritable(files, `${path}/${name}`);
}
