import type { Host } from "../../../../host/host.ts";
import type { UploadTarget } from "./upload-target.ts";

/** Memory that a copy takes, whatever the size of the file. */
const pieceBytes = 1024 * 1024;
/** Drivers run as another user. */
const readableByAll = 0o644;

/** A folder that this machine and the pods both mount. Source: Hadoop LocalFileSystem, without its checksum files. */
export function fileTarget(machine: Pick<Host, "files" | "clock">): UploadTarget {
  const { files } = machine;
  return {
    upload: async (upload, { signal, onProgress }) => {
      const directory = pathOf(upload.directory);
      files.makeDirectory(directory);
      let doneBytes = 0;
      const onPiece = (bytes: number) => {
        doneBytes += bytes;
        onProgress(doneBytes);
      };
      await copyAny(machine, upload.path, `${directory}/${upload.name}`, { signal, onPiece });
    },
    remove: async (directory) => files.remove(pathOf(directory)),
    close: () => {},
  };
}

/** Who looks at a copy, piece by piece. */
interface Copying {
  readonly signal?: AbortSignal | undefined;
  readonly onPiece: (bytes: number) => void;
}

/** A file, or a folder with all in it; what links lead to, not the links. */
async function copyAny(
  machine: Pick<Host, "files" | "clock">,
  path: string,
  copy: string,
  copying: Copying,
): Promise<void> {
  const { files } = machine;
  if (files.info(path)?.kind !== "directory") return copyFile(machine, path, copy, copying);
  files.makeDirectory(copy);
  for (const name of files.list(path) ?? []) {
    if (copying.signal?.aborted === true) return;
    await copyAny(machine, `${path.replace(/\/$/, "")}/${name}`, `${copy}/${name}`, copying);
  }
}

async function copyFile(
  { files, clock }: Pick<Host, "files" | "clock">,
  path: string,
  copy: string,
  { signal, onPiece }: Copying,
): Promise<void> {
  for (let at = 0; signal?.aborted !== true; ) {
    const piece = files.readRange(path, at, pieceBytes);
    if (piece === undefined) throw new Error(`File file:${path} does not exist`);
    if (at === 0) files.write(copy, piece, { mode: readableByAll });
    else files.append(copy, piece);
    at += piece.length;
    onPiece(piece.length);
    if (piece.length < pieceBytes) return;
    // So that a signal is heard.
    await clock.sleep(0);
  }
}

/** What Hadoop takes for the path: all after scheme and authority, as it stands. */
function pathOf(directory: string): string {
  return directory.replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, "").replace(/^\/\/[^/]*/, "");
}
