import type { Files } from "../../host/host.ts";
import { entryBeneath } from "./beneath.ts";
import { parentOf } from "./container-path.ts";
import { mountAt, mountedPath } from "./mounted-path.ts";
import { imageDirectory } from "./root-filesystem.ts";
import type { ContainerProcess, Mount } from "./sandbox.ts";
import { shellQuote } from "./shell-quote.ts";

/**
 * Adds mount points for all mounts and for the working directory.
 *
 * If a mount point does not exist in a directory that is bound read-only, that directory becomes a temporary one with
 * the same entries. In a real image, the container's writable layer would hold the new directory.
 */
export function withMountPoints(files: Files, mounts: readonly Mount[], workingDirectory: string): readonly Mount[] {
  let result: readonly Mount[] = mounts;
  for (const target of [...mounts.map((mount) => mount.target), workingDirectory]) {
    const before = result.findIndex((mount) => mount.target === target);
    const earlier = before === -1 ? result : result.slice(0, before);
    const cover = mountAt(earlier, target);
    if (cover?.kind !== "bind" || !cover.readOnly || cover.target === target) continue;
    const path = mountedPath(files, earlier, target);
    if (path !== undefined && files.info(path) !== undefined) continue;
    result = insertWritableDirectory(files, result, { cover, directory: existingParent(files, earlier, target) });
  }
  return result;
}

function existingParent(files: Files, mounts: readonly Mount[], target: string): string {
  let directory = parentOf(target);
  while (directory !== "/") {
    const path = mountedPath(files, mounts, directory);
    if (path !== undefined && files.info(path)?.kind === "directory") break;
    directory = parentOf(directory);
  }
  return directory;
}

/** Inserts the directory right after the mount that covers it, before anything mounted below it. */
function insertWritableDirectory(
  files: Files,
  mounts: readonly Mount[],
  { cover, directory }: { cover: Mount & { kind: "bind" }; directory: string },
): readonly Mount[] {
  const at = mounts.indexOf(cover) + 1;
  const source = mountedPath(files, [cover], directory) ?? cover.source;
  const entries = (files.list(source) ?? []).map((name): Mount => {
    const target = `${directory === "/" ? "" : directory}/${name}`;
    const path = `${source === "/" ? "" : source}/${name}`;
    const isLink = files.info(path, { followLinks: false })?.kind === "link";
    return isLink
      ? { kind: "link", to: files.readLink(path) ?? "", target }
      : { kind: "bind", source: path, target, readOnly: true };
  });
  return [
    ...mounts.slice(0, directory === cover.target ? at - 1 : at),
    { kind: "temporary", target: directory, mode: 0o755 },
    ...entries,
    ...mounts.slice(at),
  ];
}

/**
 * Creates the mount points, and the working directory, that are below a writable mount, and returns the mounts with their
 * targets resolved. A sandbox must not create them: a link in the mounted directory would lead it to this machine's files.
 *
 * @throws Error if a mount point is not below the mount that it is in
 */
export function makeMountPoints(files: Files, mounts: readonly Mount[], workingDirectory: string): readonly Mount[] {
  const resolved: Mount[] = [];
  for (const mount of mounts) {
    const cover = writableCover(resolved, mount.target);
    const isKept = cover === undefined || mount.kind === "link";
    resolved.push(isKept ? mount : { ...mount, target: mountPointIn(files, cover, mount) });
  }
  const cover = writableCover(resolved, workingDirectory);
  // If a link leads elsewhere, the container resolves it.
  if (cover !== undefined) entryBeneath(files, rootOf(cover), pathIn(cover, workingDirectory), directoryCreation);
  return resolved;
}

type Bind = Mount & { readonly kind: "bind" };

const directoryCreation = { kind: "directory", mode: 0o755 } as const;
const fileCreation = { kind: "file", mode: 0o644, directoryMode: 0o755 } as const;

/** Returns the writable bind mount that a path is in; `undefined` if another mount covers it, or the path is its target. */
export function writableCover(mounts: readonly Mount[], path: string): Bind | undefined {
  const cover = mountAt(mounts, path);
  return cover?.kind === "bind" && !cover.readOnly && cover.target !== path ? cover : undefined;
}

function mountPointIn(files: Files, cover: Bind, mount: Exclude<Mount, { kind: "link" }>): string {
  const isFile = mount.kind === "bind" && files.info(mount.source)?.kind !== "directory";
  const creation = isFile ? fileCreation : directoryCreation;
  const entry = entryBeneath(files, rootOf(cover), pathIn(cover, mount.target), creation);
  if (typeof entry !== "object") {
    throw new Error(`the mount point ${shown(mount.target)} is not inside of ${shown(cover.target)}`);
  }
  return `${cover.target}${entry.path.slice(cover.source.length)}`;
}

/** Returns the target of a mount as the container sees it. */
function shown(target: string): string {
  return target.startsWith(`${imageDirectory}/`) ? target.slice(imageDirectory.length) : target;
}

function rootOf({ source: path, identity }: Bind) {
  return { path, identity };
}

function pathIn({ target }: Bind, path: string): string {
  return path.slice(target === "/" ? 0 : target.length);
}

/**
 * Lists shell commands that fail unless each target shows the file or directory that was selected for it: another container of a
 * volume may have replaced a directory of the path by a link.
 */
export function identityChecks(mounts: readonly Mount[], root = ""): readonly string[] {
  return mounts.flatMap((mount) => {
    if (mount.kind !== "bind" || mount.identity === undefined) return [];
    const message = shellQuote(`${shown(mount.target)} was replaced while it was mounted`);
    const found = `$(/usr/bin/stat -c %d:%i ${shellQuote(root + mount.target)})`;
    return [`[ "${found}" = ${mount.identity} ] || { echo ${message} >&2; exit 1; }`];
  });
}

/** Lists the targets to make read-only after all mounts, if the container's root is read-only: `root` and temporary directories. */
export function readOnlyTargets(
  { isRootReadOnly }: ContainerProcess,
  mounts: readonly Mount[],
  root: string,
): readonly string[] {
  if (!isRootReadOnly) return [];
  return [
    root,
    ...mounts.flatMap((mount) => (mount.kind === "temporary" && mount.isMask !== true ? [mount.target] : [])),
  ];
}

/**
 * Replaces world-writable temporary directories by directories on disk, unless they are read-only: files that a program downloads
 * there may exceed memory. They are removed with the run's directory.
 */
export function withWritableLayer(
  files: Files,
  { mounts, directory, isRootReadOnly }: Pick<ContainerProcess, "mounts" | "directory" | "isRootReadOnly">,
): readonly Mount[] {
  return mounts.map((mount): Mount => {
    if (isRootReadOnly || mount.kind !== "temporary" || (mount.mode & 0o002) === 0) return mount;
    const source = `${directory}/layer${mount.target}`;
    files.makeDirectory(source);
    files.changeMode(source, mount.mode);
    return { kind: "bind", source, target: mount.target, readOnly: false };
  });
}
