import type { Files } from "../../host/host.ts";
import { parentOf } from "./container-path.ts";
import { mountAt, mountedPath } from "./mounted-path.ts";
import type { ContainerProcess, Mount } from "./sandbox.ts";

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
 * Replaces world-writable temporary directories by directories on disk: files that a program downloads there may
 * exceed memory. They are removed with the run's directory.
 */
export function withWritableLayer(
  files: Files,
  { mounts, directory }: Pick<ContainerProcess, "mounts" | "directory">,
): readonly Mount[] {
  return mounts.map((mount): Mount => {
    if (mount.kind !== "temporary" || (mount.mode & 0o002) === 0) return mount;
    const source = `${directory}/layer${mount.target}`;
    files.makeDirectory(source);
    files.changeMode(source, mount.mode);
    return { kind: "bind", source, target: mount.target, readOnly: false };
  });
}
