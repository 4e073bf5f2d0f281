import { basename, dirname, resolve } from "node:path";
import { nearestName } from "../conf/nearest-name.ts";
import type { Host } from "../host/host.ts";

/** Returns the existing path that a misspelled one means: with a similar name, in the same directory. `undefined` for a path that exists. */
export function nearestFile({ files, cwd }: Pick<Host, "files" | "cwd">, path: string): string | undefined {
  const name = basename(path);
  const names = namesIn(files, dirname(resolve(cwd, path)));
  const nearest = names.includes(name) ? undefined : nearestName(name, names);
  return nearest === undefined ? undefined : path.slice(0, path.lastIndexOf(name)) + nearest;
}

/** Returns no names for a directory that cannot be read: the path's own error is reported. */
function namesIn(files: Host["files"], directory: string): readonly string[] {
  try {
    return files.list(directory) ?? [];
  } catch {
    return [];
  }
}
