import { dirname, join } from "node:path";
import type { Host } from "../host/host.ts";
import type { PathContext } from "../values/dependency-uri.ts";

/** How names become URIs on this machine: links are followed as far as something is there. */
export function submitterPaths({ cwd, files }: Host): PathContext {
  return {
    cwd,
    inspect: (path) => {
      // To look first costs less than the error of a path that is not there.
      const kind = files.info(path)?.kind;
      return {
        path: kind === undefined ? missingPath(files, path) : canonicalPath(files, path),
        isDirectory: kind === "directory",
      };
    },
  };
}

/** Source: java.io.File.getCanonicalPath, which resolves the part of a path that exists. */
function canonicalPath(files: Host["files"], path: string): string {
  return files.realPath(path) ?? missingPath(files, path);
}

function missingPath(files: Host["files"], path: string): string {
  const parent = dirname(path);
  return parent === path ? path : join(canonicalPath(files, parent), path.slice(parent.length));
}
