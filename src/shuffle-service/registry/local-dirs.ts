import type { Files } from "../../host/host.ts";
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
    throw new RequestFailure("illegalArgument", `localDirs must have 1 to ${maxLocalDirs} entries, not ${localDirs.length}`);
  }
  if (subDirsPerLocalDir < 1 || subDirsPerLocalDir > maxSubDirs) {
    const text = `subDirsPerLocalDir must be 1 to ${maxSubDirs}, not ${subDirsPerLocalDir}`;
    throw new RequestFailure("illegalArgument", text);
  }
  const realRoots = roots.flatMap((root) => canonicalPath(files, root) ?? []);
  return localDirs.map((directory) => {
    if (directory === "") throw new RequestFailure("illegalArgument", "localDirs entries must be non-null and non-empty");
    const real = canonicalPath(files, directory);
    if (real === undefined) {
      throw new RequestFailure("illegalArgument", `localDirs entry could not be canonicalized: ${directory}`);
    }
    if (realRoots.some((root) => isBelow(real, root))) return real;
    const text = `localDirs entry is not under any of the service's local directories: ${directory}`;
    throw new RequestFailure("illegalArgument", text);
  });
}

/** Returns whether a canonical path is a directory or below it. */
export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}

/** Resolves all links of an absolute path, whose last parts need not exist. Returns `undefined` if this is not possible. */
function canonicalPath(files: Pick<Files, "realPath">, path: string): string | undefined {
  if (!path.startsWith("/") || path.includes("\0")) return undefined;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  for (let existing = parts.length; existing >= 0; existing -= 1) {
    const missing = parts.slice(existing);
    // Whether it leads above a missing directory depends on what that directory will be.
    if (missing.includes("..")) return undefined;
    const real = realPath(files, `/${parts.slice(0, existing).join("/")}`);
    if (real === "failed") return undefined;
    if (real !== undefined) return [real === "/" ? "" : real, ...missing].join("/") || "/";
  }
  return undefined;
}

function realPath(files: Pick<Files, "realPath">, path: string): string | undefined {
  try {
    return files.realPath(path);
  } catch {
    // E.g. links in a circle.
    return "failed";
  }
}
