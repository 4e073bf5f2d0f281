import type { Files } from "../../host/host.ts";

/**
 * Removes a folder that a container wrote to. It may hold folders that even their owner may not enter; what still
 * cannot go stays, for the end of a pod must not fail over it.
 */
export function removeTree(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    try {
      openFolders(files, path);
      files.remove(path);
    } catch {
      // Somebody else's.
    }
  }
}

function openFolders(files: Files, path: string): void {
  if (files.info(path, { followLinks: false })?.kind !== "directory") return;
  files.changeMode(path, 0o700);
  for (const name of files.list(path) ?? []) openFolders(files, `${path}/${name}`);
}
