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
    const problem = `hostPath ${path} is outside the directories that pods can access: ${roots.join(", ")} (${others})`;
    return { problem };
  }
  const { type = "" } = volume;
  if (files.info(path) === undefined && (type === "DirectoryOrCreate" || type === "")) {
    files.makeDirectory(path);
  } else if (files.info(path) === undefined && type === "FileOrCreate") {
    files.write(path, "");
  }
  const [kind, name] = types[type] ?? [];
  if (kind === undefined || files.info(path)?.kind === kind) return { path: real };
  return { problem: `hostPath type check failed: ${path} is not ${name}` };
}

/** Returns the canonical path, also of a path that does not exist yet. */
function realPathOf(files: Files, path: string): string {
  const real = files.realPath(path);
  if (real !== undefined || path === "/") return real ?? path;
  const parent = realPathOf(files, parentOf(path));
  return `${parent === "/" ? "" : parent}${path.slice(path.lastIndexOf("/"))}`;
}

/** Required kind of file and its name in messages, by volume type. */
const types: Readonly<Record<string, readonly [kind: string, name: string]>> = {
  Directory: ["directory", "a directory"],
  DirectoryOrCreate: ["directory", "a directory"],
  File: ["file", "a file"],
  FileOrCreate: ["file", "a file"],
  Socket: ["other", "a socket"],
  CharDevice: ["other", "a character device"],
  BlockDevice: ["other", "a block device"],
};
