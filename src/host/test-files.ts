import type { AppendFile, FileInfo, Files } from "./host.ts";

/** A file (its content, or with a mode), a link, or `null` for an empty directory. */
export type TestFile =
  | string
  | Uint8Array
  | null
  | { readonly content: string | Uint8Array; readonly mode?: number; readonly modifiedMs?: number }
  | { readonly link: string };

interface Owner {
  readonly uid: number;
  readonly gid: number;
}
interface FileNode {
  readonly kind: "file";
  /** @default root */
  readonly owner?: Owner;
  readonly content: Uint8Array;
  readonly mode: number;
  readonly modifiedMs: number;
}
interface DirectoryNode {
  readonly kind: "directory";
  readonly mode: number;
  /** @default root */
  readonly owner?: Owner;
}
interface LinkNode {
  readonly kind: "link";
  readonly to: string;
}

/** State of a file system in memory. */
interface FileSystem {
  /** Files, directories and links by absolute path. */
  readonly nodes: Map<string, FileNode | DirectoryNode | LinkNode>;
  /** Modification time of files that are written. */
  readonly now: () => number;
  /** Base of relative paths. */
  readonly cwd: string;
}

/** Creates a file system in memory, with links and modes. */
export function testFiles(
  tree: Readonly<Record<string, TestFile>>,
  { now, cwd }: Pick<FileSystem, "now" | "cwd">,
): Files {
  const system: FileSystem = { nodes: new Map([["/", { kind: "directory", mode: 0o755 }]]), now, cwd };
  const files: Files = {
    temporaryRoot: "/tmp",
    freeBytes: () => 1024 ** 4,
    readBytes: (path) => readBytes(system, path),
    readText: (path) => {
      const bytes = readBytes(system, path);
      return bytes && Buffer.from(bytes).toString("utf8");
    },
    readRange: (path, offset, sizeBytes) => readBytes(system, path)?.slice(offset, offset + sizeBytes),
    list: (directory, { sorted = true } = {}) => {
      const names = listNames(system, directory);
      return sorted ? names?.sort() : names;
    },
    info: (path, { followLinks = true } = {}) => infoOf(system, path, followLinks),
    realPath: (path) => findNode(system, path) && resolvePath(system, path, true),
    readLink: (path) => readLink(system, path),
    identity: (path) => findNode(system, path, false) && `1:${resolvePath(system, path, false)}`,
    openDirectory: (path) =>
      findNode(system, path, false)?.kind === "directory"
        ? { path: resolvePath(system, path, false), close() {} }
        : undefined,
    write: (path, content, options) => writeFile(system, path, content, options),
    append: (path, content) => appendTo(system, path, content),
    openAppend: async (path) => openAppend(system, path),
    makeDirectory: (path, { mode } = {}) => makeDirectory(system, path, mode),
    makeTemporaryDirectory: (prefix) => makeTemporaryDirectory(system, prefix),
    link: (target, path) => createLink(system, target, path),
    hardLink: (existing, path) => hardLink(system, existing, path),
    rename: (from, to) => rename(system, from, to),
    changeMode: (path, mode) => changeMode(system, path, mode),
    changeModified: (path, modifiedMs) => changeModified(system, path, modifiedMs),
    changeOwner: (path, uid, gid) => changeOwner(system, path, { uid, gid }),
    copy: (from, to) => copyFile(system, from, to),
    remove: (path) => remove(system, path),
  };
  for (const path of [cwd, files.temporaryRoot]) makeDirectory(system, path);
  for (const [path, file] of Object.entries(tree)) addToTree(system, absolute(path, cwd), file);
  return files;
}

function addToTree(system: FileSystem, path: string, file: TestFile): void {
  makeDirectory(system, file === null ? path : parentOf(path));
  if (file === null) return;
  if (typeof file === "string" || file instanceof Uint8Array) writeFile(system, path, file);
  else if ("link" in file) createLink(system, file.link, path);
  else {
    const { content, mode = 0o644, modifiedMs = system.now() } = file;
    system.nodes.set(resolvePath(system, path, true), {
      kind: "file",
      content: Buffer.from(content),
      mode,
      modifiedMs,
    });
  }
}

/** Limit of Linux. */
const maxPathLength = 4095;

/** Resolves the links of a path, the last part only if `follow`. The last part need not exist. */
function resolvePath(system: FileSystem, path: string, follow: boolean, depth = 0): string {
  if (depth > 40) throw fault("ELOOP", path);
  if (path.length > maxPathLength) throw fault("ENAMETOOLONG", path);
  const parts = absolute(path, system.cwd).split("/").filter(Boolean);
  let parent = "";
  for (const [index, part] of parts.entries()) {
    const child = `${parent}/${part}`;
    const node = system.nodes.get(child);
    if (node === undefined) return [child, ...parts.slice(index + 1)].join("/");
    const isLast = index === parts.length - 1;
    if (node.kind === "link" && (follow || !isLast)) {
      const target = absolute(node.to, parent === "" ? "/" : parent);
      return resolvePath(system, [target, ...parts.slice(index + 1)].join("/"), follow, depth + 1);
    }
    if (node.kind === "file" && !isLast) throw fault("ENOTDIR", path);
    parent = child;
  }
  return parent === "" ? "/" : parent;
}

function findNode(system: FileSystem, path: string, follow = true) {
  try {
    return system.nodes.get(resolvePath(system, path, follow));
  } catch (error) {
    if (error instanceof Error && "code" in error && missingCodes.includes(String(error.code))) return undefined;
    throw error;
  }
}

const missingCodes = ["ENOTDIR", "ENAMETOOLONG"];

function readBytes(system: FileSystem, path: string): Uint8Array | undefined {
  const node = findNode(system, path);
  if (node === undefined) return undefined;
  if (node.kind !== "file") throw fault("EISDIR", path);
  return node.content;
}

function readLink(system: FileSystem, path: string): string | undefined {
  const node = findNode(system, path, false);
  if (node !== undefined && node.kind !== "link") throw fault("EINVAL", path);
  return node?.to;
}

function listNames(system: FileSystem, directory: string): string[] | undefined {
  if (findNode(system, directory)?.kind !== "directory") return undefined;
  const root = resolvePath(system, directory, true);
  const start = root === "/" ? 1 : root.length + 1;
  return pathsBelow(system, root)
    .map((path) => path.slice(start))
    .filter((name) => name !== "" && !name.includes("/"));
}

function pathsBelow({ nodes }: FileSystem, directory: string): readonly string[] {
  return [...nodes.keys()].filter((path) => path.startsWith(directory === "/" ? "/" : `${directory}/`));
}

/** Resolves the path of a new entry. @throws ENOENT without a parent directory */
function pathForEntry(system: FileSystem, path: string, follow: boolean): string {
  const target = resolvePath(system, path, follow);
  if (findNode(system, parentOf(target))?.kind !== "directory") throw fault("ENOENT", path);
  return target;
}

function writeFile(
  system: FileSystem,
  path: string,
  content: string | Uint8Array,
  { mode = 0o644, mustCreate = false }: { readonly mode?: number; readonly mustCreate?: boolean } = {},
): void {
  if (mustCreate && findNode(system, path, false) !== undefined) throw fault("EEXIST", path);
  const target = pathForEntry(system, path, true);
  const old = system.nodes.get(target);
  if (old?.kind === "directory") throw fault("EISDIR", path);
  system.nodes.set(target, {
    kind: "file",
    content: Uint8Array.from(Buffer.from(content)),
    mode: old?.kind === "file" ? old.mode : mode,
    modifiedMs: system.now(),
  });
}

function appendTo(system: FileSystem, path: string, content: string | Uint8Array): void {
  writeFile(system, path, Buffer.concat([readBytes(system, path) ?? new Uint8Array(), Buffer.from(content)]));
}

function openAppend(system: FileSystem, path: string): AppendFile {
  if (readBytes(system, path) === undefined) writeFile(system, path, "", { mode: 0o600 });
  const content = () => readBytes(system, path) ?? new Uint8Array();
  return {
    sizeBytes: () => content().length,
    append: (more) => appendTo(system, path, more),
    truncate: (sizeBytes) => writeFile(system, path, content().subarray(0, sizeBytes)),
    ...{ sync() {}, async syncLater() {}, close() {} },
  };
}

function makeDirectory(system: FileSystem, path: string, mode = 0o777): void {
  let directory = "";
  for (const part of absolute(path, system.cwd).split("/").filter(Boolean)) {
    directory = resolvePath(system, `${directory}/${part}`, true);
    const node = system.nodes.get(directory);
    if (node?.kind === "file") throw fault("EEXIST", path);
    if (node === undefined) system.nodes.set(directory, { kind: "directory", mode });
  }
}

function makeTemporaryDirectory(system: FileSystem, prefix: string): string {
  let number = 1;
  while (findNode(system, `${prefix}${number}`) !== undefined) number += 1;
  const path = `${prefix}${number}`;
  system.nodes.set(pathForEntry(system, path, true), { kind: "directory", mode: 0o700 });
  return path;
}

function createLink(system: FileSystem, to: string, path: string): void {
  const link = pathForEntry(system, path, false);
  if (system.nodes.has(link)) throw fault("EEXIST", path);
  system.nodes.set(link, { kind: "link", to });
}

function rename(system: FileSystem, from: string, to: string): void {
  const { nodes } = system;
  const [source, target] = [resolvePath(system, from, false), pathForEntry(system, to, false)];
  if (!nodes.has(source)) throw fault("ENOENT", from);
  remove(system, target);
  for (const path of [source, ...pathsBelow(system, source)]) {
    const node = nodes.get(path);
    nodes.delete(path);
    if (node !== undefined) nodes.set(target + path.slice(source.length), node);
  }
}

function changeMode(system: FileSystem, path: string, mode: number): void {
  const node = findNode(system, path);
  if (node === undefined || node.kind === "link") throw fault("ENOENT", path);
  system.nodes.set(resolvePath(system, path, true), { ...node, mode });
}

function changeOwner(system: FileSystem, path: string, owner: Owner): void {
  const node = findNode(system, path, false);
  if (node === undefined) throw fault("ENOENT", path);
  if (node.kind !== "link") system.nodes.set(resolvePath(system, path, false), { ...node, owner });
}

const root: Owner = { uid: 0, gid: 0 };

function changeModified(system: FileSystem, path: string, modifiedMs: number): void {
  const node = findNode(system, path);
  if (node?.kind !== "file") throw fault("ENOENT", path);
  system.nodes.set(resolvePath(system, path, true), { ...node, modifiedMs });
}

function copyFile(system: FileSystem, from: string, to: string): void {
  const content = readBytes(system, from);
  const info = infoOf(system, from, true);
  if (content === undefined || info === undefined) throw fault("ENOENT", from);
  writeFile(system, to, content, { mode: info.mode });
}

function hardLink(system: FileSystem, existing: string, path: string): void {
  const node = findNode(system, existing, false);
  if (node === undefined) throw fault("ENOENT", existing);
  const entry = pathForEntry(system, path, false);
  if (system.nodes.has(entry)) throw fault("EEXIST", path);
  system.nodes.set(entry, node);
}

function remove(system: FileSystem, path: string): void {
  const target = resolvePath(system, path, false);
  for (const entry of [...pathsBelow(system, target), target]) if (entry !== "/") system.nodes.delete(entry);
}

function infoOf(system: FileSystem, path: string, follow: boolean): FileInfo | undefined {
  const node = findNode(system, path, follow);
  switch (node?.kind) {
    case "file": {
      const { kind, content, mode, modifiedMs, owner = root } = node;
      return { kind, sizeBytes: content.length, mode, modifiedMs, inode: 1, ...owner };
    }
    case "directory":
      return { kind: "directory", sizeBytes: 0, mode: node.mode, modifiedMs: 0, inode: 2, ...(node.owner ?? root) };
    case "link":
      return { kind: "link", sizeBytes: node.to.length, mode: 0o777, modifiedMs: 0, inode: 3, ...root };
    case undefined:
      return undefined;
  }
}

/** Makes a path absolute, without `.`, `..` and doubled slashes. */
function absolute(path: string, cwd: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${cwd}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function fault(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: '${path}'`), { code });
}
