import { createHash } from "node:crypto";
import type { Files } from "../host/host.ts";
import type { Digest } from "./bundle.ts";

/** Remembers uploads that were begun, so that a later submission can go on with them. */
export interface UploadNotes {
  readonly recall: (digest: Digest) => string | undefined;
  readonly note: (digest: Digest, uploadId: string) => void;
  readonly forget: (digest: Digest) => void;
}

/** Notes in a folder, for one server and namespace. What cannot be noted is sent again, no more. */
export function uploadNotes(
  files: Files,
  {
    folder,
    server,
    namespace,
  }: { readonly folder: string; readonly server: string; readonly namespace: string },
): UploadNotes {
  const pathOf = (digest: Digest) => {
    const name = createHash("sha256").update([server, namespace, digest].join("\n")).digest("hex");
    return `${folder}/${name}`;
  };
  return {
    recall: (digest) => unlessFailing(() => files.readText(pathOf(digest))),
    note: (digest, uploadId) => {
      unlessFailing(() => {
        files.makeDirectory(folder, { mode: 0o700 });
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
