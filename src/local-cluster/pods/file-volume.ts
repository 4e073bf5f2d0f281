import type { Files } from "../../host/host.ts";
import type { VolumeFiles } from "./volume-files.ts";

/** Directory that shows the files of a volume and is updated atomically. */
export interface FileVolume {
  /** Replaces the files; does nothing if they have not changed. */
  readonly write: (content: VolumeFiles) => void;
}

/** Options of a volume's directory. */
interface FileVolumeOptions {
  readonly files: Files;
  readonly path: string;
  /** Ms since 1970. */
  readonly now: () => number;
  /** Group with read access, from `fsGroup`; `undefined` leaves owner and mode unchanged. */
  readonly group: number | undefined;
}

/**
 * Creates a volume's directory in the kubelet's layout: a directory named after the time holds the files, the link
 * `..data` points to the current one, and links show its entries. A reader sees all of the old files or all of the
 * new ones.
 */
export function fileVolume({ files, path, now, group }: FileVolumeOptions): FileVolume {
  let shown: VolumeFiles | undefined;
  let count = 0;
  files.makeDirectory(path);
  const own = (target: string) => {
    if (group !== undefined) files.changeOwner(target, 0, group);
  };
  return {
    write(content) {
      if (shown !== undefined && isSameContent(shown, content)) return;
      count += 1;
      const time = new Date(now()).toISOString().replaceAll(/[-T:]/g, "_").slice(0, 19);
      const directory = `..${time}.${count}`;
      writeFiles(files, `${path}/${directory}`, { content, group });
      const before = files.info(`${path}/..data`, { followLinks: false }) && files.readLink(`${path}/..data`);
      // Left over if the disk was full last time.
      files.remove(`${path}/..data_tmp`);
      files.link(directory, `${path}/..data_tmp`);
      files.rename(`${path}/..data_tmp`, `${path}/..data`);
      showEntries(files, path, content);
      if (before !== undefined && before !== directory) files.remove(`${path}/${before}`);
      for (const name of files.list(path) ?? []) own(`${path}/${name}`);
      shown = content;
    },
  };
}

function writeFiles(
  files: Files,
  directory: string,
  { content, group }: { readonly content: VolumeFiles; readonly group: number | undefined },
): void {
  makeOpenDirectory(files, directory);
  for (const [name, { content: bytes, mode }] of content) {
    const parts = name.split("/");
    for (let depth = 1; depth < parts.length; depth += 1) {
      makeOpenDirectory(files, [directory, ...parts.slice(0, depth)].join("/"));
    }
    const path = `${directory}/${name}`;
    files.write(path, bytes);
    if (group !== undefined) files.changeOwner(path, 0, group);
    files.changeMode(path, group === undefined ? mode : mode | 0o440);
  }
}

// Set the mode regardless of the umask: other users also read volumes.
function makeOpenDirectory(files: Files, path: string): void {
  files.makeDirectory(path);
  files.changeMode(path, 0o755);
}

function showEntries(files: Files, path: string, content: VolumeFiles): void {
  const entryNames = new Set([...content.keys()].map((name) => name.split("/", 1)[0] ?? ""));
  for (const name of files.list(path) ?? []) {
    if (!name.startsWith("..") && !entryNames.has(name)) files.remove(`${path}/${name}`);
  }
  for (const name of entryNames) {
    const link = `${path}/${name}`;
    if (files.info(link, { followLinks: false }) === undefined) files.link(`..data/${name}`, link);
  }
}

function isSameContent(a: VolumeFiles, b: VolumeFiles): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([name, { content, mode }]) => {
    const other = b.get(name);
    return other?.mode === mode && Buffer.compare(content, other.content) === 0;
  });
}
