import { dirname, join } from "node:path";
import type { Host } from "../host/host.ts";
import type { PathContext } from "../values/dependency-uri.ts";

/** Returns how names become URIs on this machine: links are resolved in the part of a path that exists. */
export function submitterPaths({ cwd, files }: Host): PathContext {
  return {
    cwd,
    inspect: (path) => {
      // Checking first is cheaper than the error for a missing path.
      const kind = files.info(path)?.kind;
      return {
        path: kind === undefined ? missingPath(files, path) : canonicalPath(files, path),
        isDirectory: kind === "directory",
      };
    },
  };
}

/** Resolves the links of a path. Source: java.io.File.getCanonicalPath, which resolves the part of a path that exists. */
function canonicalPath(files: Host["files"], path: string): string {
  return files.realPath(path) ?? missingPath(files, path);
}

/** Limit of Linux. Longer paths need no system call, and an argument can name 60,000 directories. */
const maxPathLength = 4096;

/** Resolves the links of the longest part that exists. */
function missingPath(files: Host["files"], path: string): string {
  const isMissing = (parent: string) => parent.length > maxPathLength || files.info(parent) === undefined;
  let parent = dirname(path);
  while (isMissing(parent) && parent !== dirname(parent)) parent = dirname(parent);
  return join(files.realPath(parent) ?? parent, path.slice(parent.length));
}
