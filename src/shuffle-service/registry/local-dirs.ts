import type { Files } from "../../host/host.ts";
import { isWithin } from "../../values/is-within.ts";
import { RequestFailure } from "../request-failure.ts";

const maxLocalDirs = 1000;
const maxSubDirs = 65_536;

/** The directories and their number that an executor registers. */
interface LocalDirs {
  readonly localDirs: readonly string[];
  readonly subDirsPerLocalDir: number;
}

/**
 * Resolves the local directories of an executor to canonical paths.
 *
 * @throws RequestFailure if one of them is not below a root. The texts are those of Spark's ExternalShuffleBlockResolver.
 */
export function resolveLocalDirs(
  files: Pick<Files, "realPath">,
  { localDirs, subDirsPerLocalDir }: LocalDirs,
  roots: readonly string[],
): readonly string[] {
  if (localDirs.length === 0 || localDirs.length > maxLocalDirs) {
    throw new RequestFailure(
      "illegalArgument",
      `localDirs must have 1 to ${maxLocalDirs} entries, not ${localDirs.length}`,
    );
  }
  if (subDirsPerLocalDir < 1 || subDirsPerLocalDir > maxSubDirs) {
    const text = `subDirsPerLocalDir must be 1 to ${maxSubDirs}, not ${subDirsPerLocalDir}`;
    throw new RequestFailure("illegalArgument", text);
  }
  const realRoots = roots.flatMap((root) => canonicalPath(files, root) ?? []);
  return localDirs.map((directory) => {
    if (directory === "")
      throw new RequestFailure("illegalArgument", "localDirs entries must be non-null and non-empty");
    const real = canonicalPath(files, directory);
    if (real === undefined) {
      throw new RequestFailure("illegalArgument", `localDirs entry could not be canonicalized: ${directory}`);
    }
    if (realRoots.some((root) => isWithin(real, root))) return real;
    const text = `localDirs entry is not under any of the service's local directories: ${directory}`;
    throw new RequestFailure("illegalArgument", text);
  });
}

/**
 * Resolves all links of a path, whose last parts need not exist. A relative path is one of the root directory: the executor's working
 * directory is unknown. Returns `undefined` if links form a circle, or the path has a NUL.
 */
function canonicalPath(files: Pick<Files, "realPath">, path: string): string | undefined {
  if (path.includes("\0")) return undefined;
  let real = "";
  const missing: string[] = [];
  for (const part of path.split("/").filter((name) => name !== "" && name !== ".")) {
    if (part === "..") {
      if (missing.pop() === undefined) real = real.slice(0, Math.max(0, real.lastIndexOf("/")));
      continue;
    }
    if (missing.length > 0) {
      missing.push(part);
      continue;
    }
    const next = realPath(files, `${real}/${part}`);
    if (next === "failed") return undefined;
    if (next === undefined) missing.push(part);
    else real = next === "/" ? "" : next;
  }
  return [real, ...missing].join("/") || "/";
}

function realPath(files: Pick<Files, "realPath">, path: string): string | undefined {
  try {
    return files.realPath(path);
  } catch {
    // E.g. links in a circle.
    return "failed";
  }
}
