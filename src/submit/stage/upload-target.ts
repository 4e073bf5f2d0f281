import type { Host } from "../../host/host.ts";
import type { Upload, UploadScheme } from "../../plan/uploads.ts";

/** A file system that the pods can read, too. One submission, one target. */
export interface UploadTarget {
  /**
   * Copies a file or a folder of this machine, in pieces, into a new folder; an old copy of the same name is replaced.
   *
   * @throws any Error with the reason; what was made until then stays for `remove`
   */
  readonly upload: (upload: Upload, watching: UploadWatching) => Promise<void>;
  /** Removes the folder of an upload with all in it; fine when there is none. */
  readonly remove: (upload: Upload) => Promise<void>;
}

/** Who looks at a copy while it is made. */
export interface UploadWatching {
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes so far. */
  readonly onProgress: (bytes: number) => void;
}

const targets: Readonly<Record<UploadScheme, (host: Host) => Promise<UploadTarget>>> = {
  file: async (host) => (await import("./file-target.ts")).fileTarget(host),
  http: async () => readOnly,
  https: async () => readOnly,
};

/** What Spark finds out when it uploads. Source: Hadoop AbstractHttpFileSystem. */
const readOnly: UploadTarget = {
  upload: () => Promise.reject(new Error("java.lang.UnsupportedOperationException")),
  remove: async () => {},
};

/** Opens the file system of a scheme. */
export function openTarget(host: Host, scheme: UploadScheme): Promise<UploadTarget> {
  return targets[scheme](host);
}
