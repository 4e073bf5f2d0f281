import { cacheDirectory } from "../../../../host/cache-directory.ts";
import { fileChunks } from "../../../../host/file-chunks.ts";
import type { Host } from "../../../../host/host.ts";
import type { UploadControl, UploadTarget } from "./upload-target.ts";

/** Size of the pieces in which a file is copied. */
const pieceBytes = 1024 * 1024;
/** Mode of copied files, because drivers can run as another user. */
const readableByAll = 0o644;

/** Opens a directory that this machine and the pods mount. Source: Hadoop LocalFileSystem, without its checksum files. */
export function fileTarget(machine: Host): UploadTarget {
  const { files } = machine;
  const cache = `${cacheDirectory(machine)}/`;
  return {
    upload: async (upload, { signal, onProgress }) => {
      const directory = pathOf(upload.directory);
      files.makeDirectory(directory);
      let doneBytes = 0;
      const onPiece = (bytes: number) => {
        doneBytes += bytes;
        onProgress(doneBytes);
      };
      // Files in the cache never change, so the pods can read the same ones.
      if (upload.path.startsWith(cache) && linkFile(machine, upload.path, `${directory}/${upload.name}`)) {
        onPiece(upload.sizeBytes);
        return;
      }
      await copyAny(machine, upload.path, `${directory}/${upload.name}`, { signal, onPiece });
    },
    async open(directory, name) {
      const path = `${pathOf(directory)}/${name}`;
      const size = files.info(path)?.sizeBytes;
      return size === undefined ? undefined : { body: fileChunks(files, { path, offset: 0, size }), close() {} };
    },
    remove: async (directory) => files.remove(pathOf(directory)),
    close: () => {},
  };
}

type Machine = Pick<Host, "files" | "clock">;

/** Gives a file a second name. Returns false if that is not possible, for example on another file system. */
function linkFile({ files }: Machine, path: string, copy: string): boolean {
  try {
    files.hardLink(files.realPath(path) ?? path, copy);
    return true;
  } catch {
    return false;
  }
}

interface CopyControl extends Pick<UploadControl, "signal"> {
  readonly onPiece: (bytes: number) => void;
}

/** Copies a file, or a directory with its content. Follows links. */
async function copyAny(machine: Machine, path: string, copy: string, control: CopyControl): Promise<void> {
  const { files } = machine;
  if (files.info(path)?.kind !== "directory") return copyFile(machine, path, copy, control);
  files.makeDirectory(copy);
  for (const name of files.list(path) ?? []) {
    if (control.signal?.aborted === true) return;
    await copyAny(machine, `${path.replace(/\/$/, "")}/${name}`, `${copy}/${name}`, control);
  }
}

async function copyFile(machine: Machine, path: string, copy: string, control: CopyControl): Promise<void> {
  const { files, clock } = machine;
  const { signal, onPiece } = control;
  for (let at = 0; signal?.aborted !== true; ) {
    const piece = files.readRange(path, at, pieceBytes);
    if (piece === undefined) throw new Error(`File file:${path} does not exist`);
    if (at === 0) files.write(copy, piece, { mode: readableByAll });
    else files.append(copy, piece);
    at += piece.length;
    onPiece(piece.length);
    if (piece.length < pieceBytes) return;
    // Let the event loop run, so that the signal can abort.
    await clock.sleep(0);
  }
}

/** Returns the path of a URI as Hadoop parses it: the unchanged text after scheme and authority. */
function pathOf(directory: string): string {
  return directory.replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, "").replace(/^\/\/[^/]*/, "");
}
