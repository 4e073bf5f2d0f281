import type { Files } from "../../host/host.ts";
import { cleanPath, isWithin, parentOf } from "../sandbox/container-path.ts";

/**
 * Resolves the path of a `hostPath` volume and creates it if its type requires that; returns the reason if it is not
 * available.
 *
 * Restricted to the given directories after resolving links. Source of types and messages: Kubernetes, "hostPath",
 * kubelet 1.35.
 */
export function hostPath(
  files: Files,
  volume: { readonly path: string; readonly type?: string },
  roots: readonly string[],
): { readonly path: string } | { readonly problem: string } {
  const path = cleanPath(volume.path);
  const real = realPathOf(files, path);
  const allowed = roots.map((root) => files.realPath(root) ?? root);
  if (!allowed.some((root) => isWithin(real, root))) {
    const others = "to allow others, use firesteel cluster start --host-path DIR";
    return {
      problem: `hostPath ${path} is outside the directories that pods can access: ${roots.join(", ")} (${others})`,
    };
  }
  const { type = "" } = volume;
  if (files.info(path) === undefined && (type === "DirectoryOrCreate" || type === "")) {
    files.makeDirectory(path);
  } else if (files.info(path) === undefined && type === "FileOrCreate") {
    files.write(path, "");
  }
  const problem = checkType(files, path, type);
  return problem === undefined ? { path: real } : { problem: `hostPath type check failed: ${path} is not ${problem}` };
}

/** Returns the canonical path, also of a path that does not exist yet. */
function realPathOf(files: Files, path: string): string {
  const real = files.realPath(path);
  if (real !== undefined || path === "/") return real ?? path;
  const parent = realPathOf(files, parentOf(path));
  return `${parent === "/" ? "" : parent}${path.slice(path.lastIndexOf("/"))}`;
}

function checkType(files: Files, path: string, type: string): string | undefined {
  const kind = files.info(path)?.kind;
  switch (type) {
    case "Directory":
    case "DirectoryOrCreate":
      return kind === "directory" ? undefined : "a directory";
    case "File":
    case "FileOrCreate":
      return kind === "file" ? undefined : "a file";
    case "Socket":
      return kind === "other" ? undefined : "a socket";
    case "CharDevice":
      return kind === "other" ? undefined : "a character device";
    case "BlockDevice":
      return kind === "other" ? undefined : "a block device";
    default:
      return undefined;
  }
}
