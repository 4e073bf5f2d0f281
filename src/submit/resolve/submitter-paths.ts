import { dirname, join } from "node:path";
import type { Host } from "../../host/host.ts";
import type { PathContext } from "../../values/dependency-uri.ts";

/** How names become URIs on this machine: links are followed as far as something is there. */
export function submitterPaths({ cwd, files }: Host): PathContext {
  return {
    cwd,
    inspect: (path) => ({
      path: canonicalPath(files, path),
      isDirectory: files.info(path)?.kind === "directory",
    }),
  };
}

/** Source: java.io.File.getCanonicalPath, which resolves the part of a path that exists. */
function canonicalPath(files: Host["files"], path: string): string {
  const real = files.realPath(path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(canonicalPath(files, parent), path.slice(parent.length));
}
