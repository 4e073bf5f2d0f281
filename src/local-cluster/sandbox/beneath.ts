import type { FileInfo, Files, OpenDirectory } from "../../host/host.ts";
import { isWithin } from "../../values/is-within.ts";
import { cleanPath } from "./container-path.ts";

/** An existing entry below a directory. */
export interface Entry {
  /** Its path without links. */
  readonly path: string;
  /** As `stat -c %d:%i` prints it: shows later whether the path still names this entry. */
  readonly identity: string;
  readonly kind: FileInfo["kind"];
}

/** Reason why there is no entry: nothing has this name, it is not below the directory, or it cannot be reached. */
export type NoEntry = "missing" | "outside" | "unreachable";

/** Entry to create if it is missing. Modes are permission bits. */
type Creation =
  | { readonly kind: "directory"; readonly mode: number }
  /** Without `directoryMode`, the file's directory must exist. */
  | { readonly kind: "file"; readonly mode: number; readonly directoryMode?: number };

const maxSteps = 255;

/** Directory whose entries are found. */
interface Root {
  /** Canonical path. */
  readonly path: string;
  /** If set, the directory must still be this one. */
  readonly identity?: string | undefined;
}

interface Walk {
  readonly files: Files;
  readonly root: string;
  readonly create: Creation | undefined;
  /** Open directories from the root to the current one, and their names without the root's. */
  readonly directories: OpenDirectory[];
  readonly names: string[];
  /** Names that follow, the next one last. */
  readonly rest: string[];
}

/**
 * Finds the entry at a path below `root`, or creates it. Follows links that stay below `root`, whatever other programs change
 * meanwhile: opens each directory relative to the one before, without following a link, so that nothing outside is created.
 *
 * Source: the kubelet's `SafeMakeDir` and `doSafeOpenSubPath`, Kubernetes 1.35.
 *
 * @param path relative to `root`, without `..`
 */
export function entryBeneath(
  files: Files,
  { path: root, identity }: Root,
  path: string,
  create?: Creation,
): Entry | NoEntry {
  const opened = files.openDirectory(root);
  if (opened === undefined) return "missing";
  const walk: Walk = { files, root, create, directories: [opened], names: [], rest: namesOf(path) };
  try {
    if (identity !== undefined && files.identity(`${opened.path}/.`) !== identity) return "unreachable";
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const result = step(walk);
      if (result !== undefined) return result;
    }
    return "unreachable";
  } finally {
    for (const directory of walk.directories) directory.close();
  }
}

/** Walks one name on. @returns the result when the walk ends */
function step(walk: Walk): Entry | NoEntry | undefined {
  const { files, directories, names, rest, create } = walk;
  const name = rest.pop();
  const directory = directories.at(-1)?.path ?? "";
  if (name === undefined) return entryOf(walk, `${directory}/.`, "directory");
  if (name === "..") return leave(walk);
  const path = `${directory}/${name}`;
  const kind = files.info(path, { followLinks: false })?.kind;
  switch (kind) {
    case "link":
      return follow(walk, files.readLink(path) ?? "");
    case "directory": {
      const opened = files.openDirectory(path);
      // Replaced since the check: look again.
      if (opened === undefined) rest.push(name);
      else {
        directories.push(opened);
        names.push(name);
      }
      return undefined;
    }
    case undefined:
      rest.push(name);
      return create === undefined ? "missing" : createEntry(files, path, rest.length === 1 ? create : parentOf(create));
    default:
      if (rest.length > 0) return "unreachable";
      names.push(name);
      return entryOf(walk, path, kind);
  }
}

function leave({ directories, names }: Walk): NoEntry | undefined {
  if (names.pop() === undefined) return "outside";
  directories.pop()?.close();
  return undefined;
}

/** Continues at the target of a link in the current directory. */
function follow({ root, rest, directories, names }: Walk, target: string): NoEntry | undefined {
  if (!target.startsWith("/")) {
    rest.push(...namesOf(target));
    return undefined;
  }
  const absolute = cleanPath(target);
  if (!isWithin(absolute, root)) return "outside";
  for (const directory of directories.splice(1)) directory.close();
  names.length = 0;
  rest.push(...namesOf(absolute.slice(root === "/" ? 0 : root.length)));
  return undefined;
}

/** Returns how a missing directory on the way to the entry is created. */
function parentOf(create: Creation): Creation | undefined {
  if (create.kind === "directory") return create;
  return create.directoryMode === undefined ? undefined : { kind: "directory", mode: create.directoryMode };
}

function createEntry(files: Files, path: string, create: Creation | undefined): "missing" | undefined {
  if (create === undefined) return "missing";
  const { kind, mode } = create;
  try {
    if (kind === "file") files.write(path, "", { mode, mustCreate: true });
    else files.makeDirectory(path, { mode });
  } catch (error) {
    // Created by another program since the check.
    if (files.info(path, { followLinks: false }) === undefined) throw error;
    return undefined;
  }
  if (kind === "file") return undefined;
  const opened = files.openDirectory(path);
  if (opened === undefined) return undefined;
  // The umask may have removed bits.
  files.changeMode(opened.path, mode);
  opened.close();
  return undefined;
}

function entryOf({ files, root, names }: Walk, path: string, kind: FileInfo["kind"]): Entry | NoEntry {
  const identity = files.identity(path);
  if (identity === undefined) return "unreachable";
  return { path: [root === "/" ? "" : root, ...names].join("/") || "/", identity, kind };
}

/** Splits a path into names, the first one last. */
function namesOf(path: string): string[] {
  return path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .reverse();
}
