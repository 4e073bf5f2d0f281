import type { Host } from "../../host/host.ts";
import type { Upload } from "../../plan/uploads.ts";
import type { UploadTarget } from "./upload-target.ts";

/** Memory that a copy takes, whatever the size of the file. */
const pieceBytes = 1024 * 1024;
/** Drivers run as another user. */
const readableByAll = 0o644;

/** A folder that this machine and the pods both mount. Source: Hadoop LocalFileSystem, without its checksum files. */
export function fileTarget({ files, clock }: Pick<Host, "files" | "clock">): UploadTarget {
  return {
    upload: async (upload, { signal, onProgress }) => {
      const folder = folderOf(upload);
      files.makeDirectory(folder);
      const copy = `${folder}/${upload.name}`;
      for (let at = 0; signal?.aborted !== true; ) {
        const piece = files.readRange(upload.path, at, pieceBytes);
        if (piece === undefined) throw new Error(`File file:${upload.path} does not exist`);
        if (at === 0) files.write(copy, piece, { mode: readableByAll });
        else files.append(copy, piece);
        at += piece.length;
        onProgress(at);
        if (piece.length < pieceBytes) return;
        // So that a signal is heard.
        await clock.sleep(0);
      }
    },
    remove: async (upload) => files.remove(folderOf(upload)),
  };
}

/** What Hadoop takes for the path: all after scheme and authority, as it stands. */
function folderOf({ folder }: Upload): string {
  return folder.replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, "").replace(/^\/\/[^/]*/, "");
}
