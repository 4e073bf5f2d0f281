import type { Files } from "../../host/host.ts";
import { cleanPath, isWithin, parentOf } from "../sandbox/container-path.ts";

/**
 * A `hostPath` volume's place on this machine, made if its type asks for that, or why it cannot be had.
 *
 * Only below the given folders, wherever links lead. Source of types and words: Kubernetes, "hostPath", kubelet 1.35.
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
    const others = "firesteel cluster start --host-path FOLDER allows others";
    return {
      problem: `hostPath ${path} lies outside the folders that pods may see: ${roots.join(", ")} (${others})`,
    };
  }
  const { type = "" } = volume;
  if (files.info(path) === undefined && (type === "DirectoryOrCreate" || type === "")) {
    files.makeDirectory(path);
  } else if (files.info(path) === undefined && type === "FileOrCreate") {
    files.write(path, "");
  }
  const problem = checkType(files, path, type);
  return problem === undefined
    ? { path: real }
    : { problem: `hostPath type check failed: ${path} is not ${problem}` };
}

/** The canonical path, also of what is not there yet. */
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
