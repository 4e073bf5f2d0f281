import { createHash } from "node:crypto";
import type { Files } from "../host/host.ts";
import type { Digest } from "./bundle.ts";

/** IDs of unfinished uploads, kept so that a later submission can resume them. */
export interface PendingUploads {
  readonly load: (digest: Digest) => string | undefined;
  readonly save: (digest: Digest, uploadId: string) => void;
  readonly remove: (digest: Digest) => void;
}

/** Stores pending uploads of one server and namespace in a directory. If saving fails, the next submission uploads again. */
export function openPendingUploads(
  files: Files,
  { directory, server, namespace }: { readonly directory: string; readonly server: string; readonly namespace: string },
): PendingUploads {
  const pathOf = (digest: Digest) => {
    const name = createHash("sha256").update([server, namespace, digest].join("\n")).digest("hex");
    return `${directory}/${name}`;
  };
  return {
    load(digest) {
      const uploadId = ignoreErrors(() => files.readText(pathOf(digest)));
      return uploadId !== undefined && isUploadId(uploadId) ? uploadId : undefined;
    },
    save(digest, uploadId) {
      ignoreErrors(() => {
        files.makeDirectory(directory, { mode: 0o700 });
        files.write(pathOf(digest), uploadId, { mode: 0o600 });
      });
    },
    remove(digest) {
      ignoreErrors(() => files.remove(pathOf(digest)));
    },
  };
}

/** Returns whether a note has content, and none that changes the path of a request: it may be cut or overwritten. */
function isUploadId(text: string): boolean {
  return /^[\w.~-]{1,200}$/.test(text) && !/^\.+$/.test(text);
}

function ignoreErrors<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
