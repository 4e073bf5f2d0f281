import { createHash } from "node:crypto";
import type { Host } from "../host/host.ts";
import { expandGlobs } from "../resolve/expand-globs.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";

/** Returns digests of the files of this machine in comma-separated lists, by their path relative to the working directory. */
export function localContents({ cwd, files }: Host, lists: readonly string[]): Readonly<Record<string, string>> {
  const expanded = lists.map((list) => {
    const result = expandGlobs(list, { files, paths: { cwd } });
    // The submission reports what is wrong with a list.
    return result.ok ? result.value : "";
  });
  const digests = expanded
    .flatMap((list) => list.split(","))
    .flatMap((name) => {
      if (name === "") return [];
      const uri = parseDependencyUri(name);
      if (uri.kind !== "submitterLocal" || files.info(uri.path)?.kind !== "file") return [];
      const content = files.readBytes(uri.path) ?? "";
      const key = uri.path.startsWith(`${cwd}/`) ? uri.path.slice(cwd.length + 1) : uri.path;
      return [[key, createHash("sha256").update(content).digest("hex")]];
    });
  return Object.fromEntries(digests);
}
