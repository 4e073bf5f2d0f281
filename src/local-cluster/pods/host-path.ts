import type { Files } from "../../host/host.ts";
import { isWithin } from "../../values/is-within.ts";
import { type Entry, entryBeneath } from "../sandbox/beneath.ts";
import { cleanPath, parentOf } from "../sandbox/container-path.ts";

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
): Entry | { readonly problem: string } {
  const path = cleanPath(volume.path);
  const real = realPathOf(files, path);
  const root = roots.map((each) => files.realPath(each) ?? each).find((each) => isWithin(real, each));
  const others = "to allow others, use firesteel cluster start --host-path DIR";
  const outside = {
    problem: `hostPath ${path} is outside the directories that pods can access: ${roots.join(", ")} (${others})`,
  };
  if (root === undefined) return outside;
  const { type = "" } = volume;
  const inside = real.slice(root === "/" ? 0 : root.length);
  const created = creations[type];
  // A pod may replace directories of the path since they were resolved, or the path may be a link to a missing file.
  const create = created && { kind: created, mode: created === "file" ? 0o644 : 0o755 };
  const entry = entryBeneath(files, { path: root }, inside, create);
  if (entry === "outside") return outside;
  const [kind, name] = types[type] ?? [];
  if (typeof entry === "object" && (kind === undefined || entry.kind === kind)) return entry;
  if (name === undefined) return { problem: `hostPath ${path} does not exist and cannot be created` };
  return { problem: `hostPath type check failed: ${path} is not ${name}` };
}

/** Kind of a missing path that is created, by volume type. */
const creations: Readonly<Record<string, Entry["kind"] & ("directory" | "file")>> = {
  "": "directory",
  DirectoryOrCreate: "directory",
  FileOrCreate: "file",
};

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
