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

function missingPath(files: Host["files"], path: string): string {
  const parent = dirname(path);
  return parent === path ? path : join(canonicalPath(files, parent), path.slice(parent.length));
}
