import type { FileInfo, Files } from "./host.ts";

/** A file (its content, or with a mode), a link, or `null` for an empty directory. */
export type TestFile =
  | string
  | Uint8Array
  | null
  | { readonly content: string | Uint8Array; readonly mode?: number; readonly modifiedMs?: number }
  | { readonly link: string };

interface FileNode {
  readonly kind: "file";
  readonly content: Uint8Array;
  readonly mode: number;
  readonly modifiedMs: number;
}
interface DirectoryNode {
  readonly kind: "directory";
  readonly mode: number;
}
interface LinkNode {
  readonly kind: "link";
  readonly to: string;
}
type TreeNode = FileNode | DirectoryNode | LinkNode;

/** A file system in memory, with links and modes. `now` dates what is written; `cwd` is where relative paths start. */
export function testFiles(
  tree: Readonly<Record<string, TestFile>>,
  { now, cwd }: { readonly now: () => number; readonly cwd: string },
): Files {
  const nodes = new Map<string, TreeNode>([["/", { kind: "directory", mode: 0o755 }]]);

  /** The path with links resolved, the last one only when `follow`; its last part need not exist. */
  const resolve = (path: string, follow: boolean, depth = 0): string => {
    if (depth > 40) throw fault("ELOOP", path);
    const parts = absolute(path, cwd).split("/").filter(Boolean);
    let place = "";
    for (const [index, part] of parts.entries()) {
      const here = `${place}/${part}`;
      const node = nodes.get(here);
      const last = index === parts.length - 1;
      if (node?.kind === "link" && (follow || !last)) {
        const target = absolute(node.to, place === "" ? "/" : place);
        return resolve([target, ...parts.slice(index + 1)].join("/"), follow, depth + 1);
      }
      if (node?.kind === "file" && !last) throw fault("ENOTDIR", path);
      place = here;
    }
    return place === "" ? "/" : place;
  };
  const look = (path: string, follow = true) => {
    try {
      return nodes.get(resolve(path, follow));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
      throw error;
    }
  };
  const readBytes = (path: string) => {
    const node = look(path);
    if (node === undefined) return undefined;
    if (node.kind !== "file") throw fault("EISDIR", path);
    return node.content;
  };
  const makeDirectory = (path: string, mode = 0o777) => {
    let place = "";
    for (const part of absolute(path, cwd).split("/").filter(Boolean)) {
      place = resolve(`${place}/${part}`, true);
      const node = nodes.get(place);
      if (node?.kind === "file") throw fault("EEXIST", path);
      if (node === undefined) nodes.set(place, { kind: "directory", mode });
    }
  };
  const place = (path: string, follow: boolean) => {
    const target = resolve(path, follow);
    if (look(parentOf(target))?.kind !== "directory") throw fault("ENOENT", path);
    return target;
  };
  const write = (path: string, content: string | Uint8Array, options: { mode?: number } = {}) => {
    const target = place(path, true);
    const old = nodes.get(target);
    if (old?.kind === "directory") throw fault("EISDIR", path);
    const mode = old?.kind === "file" ? old.mode : (options.mode ?? 0o644);
    nodes.set(target, {
      kind: "file",
      content: Uint8Array.from(Buffer.from(content)),
      mode,
      modifiedMs: now(),
    });
  };
  const below = (path: string) => [...nodes.keys()].filter((key) => key.startsWith(path === "/" ? "/" : `${path}/`));

  const files: Files = {
    temporaryRoot: "/tmp",
    freeBytes: () => 1024 ** 4,
    readBytes,
    readText(path) {
      const bytes = readBytes(path);
      return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
    },
    readRange: (path, offset, sizeBytes) => readBytes(path)?.slice(offset, offset + sizeBytes),
    list(directory, { sorted = true } = {}) {
      if (look(directory)?.kind !== "directory") return undefined;
      const folder = resolve(directory, true);
      const start = folder === "/" ? 1 : folder.length + 1;
      const names = below(folder)
        .map((key) => key.slice(start))
        .filter((name) => name !== "" && !name.includes("/"));
      return sorted ? names.sort() : names;
    },
    info(path, { followLinks = true } = {}) {
      const node = look(path, followLinks);
      return node === undefined ? undefined : infoOf(node);
    },
    realPath: (path) => (look(path) === undefined ? undefined : resolve(path, true)),
    readLink(path) {
      const node = look(path, false);
      if (node !== undefined && node.kind !== "link") throw fault("EINVAL", path);
      return node?.to;
    },
    write,
    append(path, content) {
      write(path, Buffer.concat([readBytes(path) ?? new Uint8Array(), Buffer.from(content)]));
    },
    async openAppend(path) {
      if (readBytes(path) === undefined) write(path, "", { mode: 0o600 });
      const content = () => readBytes(path) ?? new Uint8Array();
      return {
        sizeBytes: () => content().length,
        append: (more) => write(path, Buffer.concat([content(), Buffer.from(more)])),
        truncate: (sizeBytes) => write(path, content().subarray(0, sizeBytes)),
        ...{ sync() {}, async syncLater() {}, close() {} },
      };
    },
    makeDirectory: (path, { mode } = {}) => makeDirectory(path, mode),
    makeTemporaryDirectory(prefix) {
      let number = 1;
      while (look(`${prefix}${number}`) !== undefined) number += 1;
      const path = `${prefix}${number}`;
      nodes.set(place(path, true), { kind: "directory", mode: 0o700 });
      return path;
    },
    link(target, path) {
      const from = place(path, false);
      if (nodes.has(from)) throw fault("EEXIST", path);
      nodes.set(from, { kind: "link", to: target });
    },
    rename(from, to) {
      const [source, target] = [resolve(from, false), place(to, false)];
      if (!nodes.has(source)) throw fault("ENOENT", from);
      files.remove(target);
      for (const key of [source, ...below(source)]) {
        const node = nodes.get(key);
        nodes.delete(key);
        if (node !== undefined) nodes.set(target + key.slice(source.length), node);
      }
    },
    changeMode(path, mode) {
      const node = look(path);
      if (node === undefined || node.kind === "link") throw fault("ENOENT", path);
      nodes.set(resolve(path, true), { ...node, mode });
    },
    changeOwner(path) {
      if (look(path, false) === undefined) throw fault("ENOENT", path);
    },
    copy(from, to) {
      const content = readBytes(from);
      if (content === undefined) throw fault("ENOENT", from);
      write(to, content, { mode: infoOf(look(from)).mode });
    },
    remove(path) {
      const target = resolve(path, false);
      for (const key of [...below(target), target]) if (key !== "/") nodes.delete(key);
    },
  };

  for (const path of [cwd, files.temporaryRoot]) makeDirectory(path);
  for (const [path, file] of Object.entries(tree)) {
    const target = absolute(path, cwd);
    makeDirectory(file === null ? target : parentOf(target));
    if (file === null) continue;
    if (typeof file === "string" || file instanceof Uint8Array) write(target, file);
    else if ("link" in file) files.link(file.link, target);
    else {
      const { content, mode = 0o644, modifiedMs = now() } = file;
      nodes.set(resolve(target, true), { kind: "file", content: Buffer.from(content), mode, modifiedMs });
    }
  }
  return files;
}

function fileInfoOf({ kind, content, mode, modifiedMs }: FileNode) {
  return { kind, sizeBytes: content.length, mode, modifiedMs };
}

function infoOf(node: TreeNode | undefined): FileInfo {
  switch (node?.kind) {
    case "file":
      return { ...fileInfoOf(node), inode: 1 };
    case "directory":
      return { kind: "directory", sizeBytes: 0, mode: node.mode, modifiedMs: 0, inode: 2 };
    case "link":
      return { kind: "link", sizeBytes: node.to.length, mode: 0o777, modifiedMs: 0, inode: 3 };
    case undefined:
      throw fault("ENOENT", "");
  }
}

/** Absolute, without `.`, `..` and doubled slashes. */
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
