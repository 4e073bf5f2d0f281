import { createHash } from "node:crypto";
import type { Files } from "../host/host.ts";
import type { Digest } from "./bundle.ts";

/** Remembers started uploads, so that a later submission can resume them. */
export interface UploadNotes {
  readonly recall: (digest: Digest) => string | undefined;
  readonly note: (digest: Digest, uploadId: string) => void;
  readonly forget: (digest: Digest) => void;
}

/** Stores pending uploads of one server and namespace in a directory. If saving fails, the next submission uploads again. */
export function uploadNotes(
  files: Files,
  { directory, server, namespace }: { readonly directory: string; readonly server: string; readonly namespace: string },
): UploadNotes {
  const pathOf = (digest: Digest) => {
    const name = createHash("sha256").update([server, namespace, digest].join("\n")).digest("hex");
    return `${directory}/${name}`;
  };
  return {
    recall: (digest) => unlessFailing(() => files.readText(pathOf(digest))),
    note: (digest, uploadId) => {
      unlessFailing(() => {
        files.makeDirectory(directory, { mode: 0o700 });
        files.write(pathOf(digest), uploadId, { mode: 0o600 });
      });
    },
    forget: (digest) => {
      unlessFailing(() => files.remove(pathOf(digest)));
    },
  };
}

function unlessFailing<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
