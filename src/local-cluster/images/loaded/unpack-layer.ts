import type { Files } from "../../../host/host.ts";
import { isWithin } from "../../../values/is-within.ts";
import { cleanPath, parentOf } from "../../sandbox/container-path.ts";
import { mountedPath } from "../../sandbox/mounted-path.ts";
import { readTar, type TarEntry } from "./read-tar.ts";
import type { UnpackBudget } from "./unpack-budget.ts";

const whiteout = ".wh.";
const opaque = ".wh..wh..opq";
const bufferBytes = 4 * 1024 * 1024;

/** Directory and limit of unpacked layers. */
interface UnpackTarget {
  readonly root: string;
  readonly budget: UnpackBudget;
}

/**
 * Unpacks a layer's tar archive over the contents of `root`: its whiteouts remove what earlier layers added.
 *
 * The current user owns all files, regardless of the owners in the archive: containers run as one user, who owns what
 * they see. Devices are skipped. Names and links in the archive cannot make this function write outside `root`.
 *
 * Source: OCI image specification 1.1, layer.md.
 */
export async function unpackLayer(files: Files, archive: string, { root, budget }: UnpackTarget): Promise<void> {
  files.makeDirectory(root);
  const tree = treeWriter(files, { root, budget });
  for await (const entry of readTar(files, archive, budget)) {
    const path = cleanPath(entry.name);
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name === opaque) tree.empty(parentOf(path));
    else if (name.startsWith(whiteout)) tree.remove(parentOf(path), name.slice(whiteout.length));
    else if (path !== "/") await tree.put(path, entry);
    // The decoder requires each member's content to be consumed before the next member.
    for await (const _ of entry.content);
  }
  tree.finish();
}

function treeWriter(files: Files, { root, budget }: UnpackTarget) {
  /** Paths that this layer added, with their parent directories: whiteouts do not remove them. */
  const own = new Set<string>();
  const directoryModes = new Map<string, number>();

  /** Returns the path of a member on this machine; follows links in its parents as a container does. */
  function hostPathOf(path: string): string {
    const mounts = [{ kind: "bind", source: root, target: "/", readOnly: false } as const];
    const directory = mountedPath(files, mounts, parentOf(path));
    if (directory === undefined) throw new Error(`${path} has too many links in its path`);
    return `${directory === "/" ? "" : directory}/${path.slice(path.lastIndexOf("/") + 1)}`;
  }

  function claim(target: string): void {
    for (let path = target; path.length > root.length && !own.has(path); path = parentOf(path)) own.add(path);
  }

  /** Removes what a later member replaces. A link instead of a directory must not lead its mode elsewhere. */
  function replace(target: string): void {
    files.remove(target);
    for (const path of directoryModes.keys()) if (isWithin(path, target)) directoryModes.delete(path);
  }

  async function put(path: string, entry: TarEntry): Promise<void> {
    const target = hostPathOf(path);
    files.makeDirectory(parentOf(target));
    const before = files.info(target, { followLinks: false });
    if (entry.kind === "other") return;
    if (before !== undefined && !(before.kind === "directory" && entry.kind === "directory")) replace(target);
    claim(target);
    if (entry.kind === "directory") {
      files.makeDirectory(target);
      directoryModes.set(target, entry.mode);
    } else if (entry.kind === "symlink") files.link(entry.linkName, target);
    else if (entry.kind === "link")
      duplicate(files, { from: hostPathOf(cleanPath(entry.linkName)), to: target, budget });
    else await writeFile(files, target, entry);
  }

  function remove(directory: string, name: string): void {
    if (["", ".", ".."].includes(name)) throw new Error(`${directory} has a whiteout without a file name`);
    const target = hostPathOf(`${directory === "/" ? "" : directory}/${name}`);
    if (!own.has(target)) files.remove(target);
  }

  return {
    put,
    remove,
    /** Removes what earlier layers added to a directory. */
    empty(directory: string) {
      const target = directory === "/" ? root : hostPathOf(directory);
      if (files.info(target, { followLinks: false })?.kind !== "directory") return;
      for (const name of files.list(target) ?? []) {
        if (!own.has(`${target}/${name}`)) files.remove(`${target}/${name}`);
      }
    },
    /** Sets directory modes last: a directory without write permission could not be filled. */
    finish() {
      for (const [target, mode] of directoryModes) {
        if (files.info(target, { followLinks: false })?.kind === "directory")
          files.changeMode(target, (mode & 0o1777) | 0o700);
      }
    },
  };
}

/** Copies the target of a hard link: containers write to copies of image files in any case. */
function duplicate(files: Files, { from, to, budget }: { from: string; to: string; budget: UnpackBudget }): void {
  const info = files.info(from, { followLinks: false });
  if (info?.kind === "link") files.link(files.readLink(from) ?? "", to);
  else if (info?.kind === "file") {
    budget(info.sizeBytes);
    files.copy(from, to);
    files.changeModified(to, info.modifiedMs);
    files.changeMode(to, info.mode & 0o777);
  } else throw new Error(`a link refers to ${from}, which does not exist`);
}

async function writeFile(files: Files, target: string, { mode, modifiedMs, content }: TarEntry): Promise<void> {
  files.write(target, "");
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  const flush = () => {
    if (bytes > 0) files.append(target, Buffer.concat(chunks));
    chunks = [];
    bytes = 0;
  };
  for await (const chunk of content) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= bufferBytes) flush();
  }
  flush();
  // Java's class data archives are for jars of the same time.
  if (modifiedMs !== undefined) files.changeModified(target, modifiedMs);
  files.changeMode(target, (mode & 0o777) | 0o400);
}
