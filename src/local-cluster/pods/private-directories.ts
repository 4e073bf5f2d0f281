import type { Files } from "../../host/host.ts";
import { isWithin } from "../../values/is-within.ts";
import type { Mount } from "../sandbox/sandbox.ts";

/** Directories with keys and tokens of clusters, which pods must not see even if their volumes contain them. */
export interface PrivateDirectories {
  /** Returns whether a canonical path is in one of them. */
  readonly contain: (path: string) => boolean;
  /** Lists mounts that cover them inside of the directory `source`, mounted at `target`. */
  readonly masks: (source: string, target: string) => readonly Mount[];
  readonly close: () => void;
}

/** Keeps the directories open, to find them even if a pod that can write to a parent directory has moved them. */
export function privateDirectories(files: Files, directories: readonly string[]): PrivateDirectories {
  const opened = directories.flatMap((path) => files.openDirectory(files.realPath(path) ?? path) ?? []);
  const find = () => {
    const paths = [...opened.map(({ path }) => path), ...directories].flatMap((path) => files.realPath(path) ?? []);
    const mounted = parseMounts(files.readText("/proc/self/mountinfo") ?? "");
    return [...new Set(paths.flatMap((path) => shownPaths(mounted, path)))];
  };
  return {
    contain: (path) => find().some((directory) => isWithin(path, directory)),
    masks: (source, target) =>
      find()
        .filter((path) => isWithin(path, source) && files.info(path)?.kind === "directory")
        .map((path) => ({ ...mask, target: joined(target, below(path, source)) })),
    close() {
      for (const directory of opened) directory.close();
    },
  };
}

const mask = { kind: "temporary", mode: 0o755, isMask: true } as const;

/** A mount of this machine: the directory `root` of a device, shown at `path`. */
interface MachineMount {
  readonly device: string;
  readonly root: string;
  readonly path: string;
}

/**
 * Lists the paths that show a directory or parts of it: its own path, and those of other mounts of the same device, such as bind
 * mounts.
 */
function shownPaths(mounts: readonly MachineMount[], directory: string): readonly string[] {
  const covering = mounts.reduce<MachineMount | undefined>((found, mount) => {
    const isLonger = mount.path.length >= (found?.path.length ?? 0);
    return isWithin(directory, mount.path) && isLonger ? mount : found;
  }, undefined);
  if (covering === undefined) return [directory];
  const onDevice = joined(covering.root, below(directory, covering.path));
  const shown = mounts.flatMap(({ device, root, path }) => {
    if (device !== covering.device) return [];
    if (isWithin(onDevice, root)) return [joined(path, below(onDevice, root))];
    return isWithin(root, onDevice) ? [path] : [];
  });
  return [directory, ...shown];
}

/** Parses lines of the form `36 35 98:0 /root /path options …`. Source: proc_pid_mountinfo(5). */
function parseMounts(text: string): readonly MachineMount[] {
  return text.split("\n").flatMap((line) => {
    const [, , device, root, path] = line.split(" ").map(unescaped);
    return device === undefined || root === undefined || path === undefined ? [] : [{ device, root, path }];
  });
}

/** Replaces escapes such as `\040`, each of which is one byte. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Returns the part of a path below a directory: empty, or with a leading slash. */
function below(path: string, directory: string): string {
  return path.slice(directory === "/" ? 0 : directory.length);
}

function joined(directory: string, rest: string): string {
  return `${directory === "/" ? "" : directory}${rest}` || "/";
}
