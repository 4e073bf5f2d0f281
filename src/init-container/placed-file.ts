import { createHash } from "node:crypto";
import type { AppendFile, Files } from "../host/host.ts";
import type { Digest } from "../staging-client/bundle.ts";
import { isFull, LocalizeError, noSpace, writeError } from "./localize-error.ts";

/** A file that is being received: it gets its name when it is whole and right. */
export interface PlacedFile {
  readonly receivedBytes: () => number;
  readonly append: (chunk: Uint8Array) => void;
  /** Forgets what was received. */
  readonly restart: () => void;
  readonly digest: () => Digest;
  readonly place: (as: { readonly path: string; readonly executable: boolean }) => void;
  readonly discard: () => void;
}

/** The folder of what is not whole yet, on the same file system as what it will be. */
export interface IncomingDirectory {
  readonly path: string;
  /** @param wanted `entry`: for messages; `size`: in bytes, where it is known */
  readonly open: (requested: RequestedFile) => Promise<PlacedFile>;
  /** Takes away all that got no name. */
  readonly remove: () => void;
}

interface RequestedFile {
  readonly entry: string;
  readonly size?: number | undefined;
}

const directoryMode = 0o755;

/** Permissions of a file for all users, independent of the umask. */
export function modeOf({ executable }: { readonly executable: boolean }): number {
  return executable ? 0o755 : 0o644;
}

/** Starts anew: what an earlier run left there is taken away. */
export function openIncoming(files: Files, directory: string): IncomingDirectory {
  const folder = `${directory}/.incoming`;
  const opened = new Set<PlacedFile>();
  let number = 0;
  try {
    files.remove(folder);
    files.makeDirectory(folder, { mode: 0o700 });
  } catch (error) {
    throw writeError(error, directory);
  }
  return {
    path: folder,
    async open(requested) {
      number += 1;
      const path = `${folder}/${number}`;
      const open = await files.openAppend(path).catch((error: unknown) => {
        throw writeError(error, path);
      });
      const file = placedFile({ files, path, open, requested, closed: () => opened.delete(file) });
      opened.add(file);
      return file;
    },
    remove() {
      for (const file of [...opened]) file.discard();
      files.remove(folder);
    },
  };
}

/** Makes a folder that everybody can enter, whatever the umask. */
export function makeAccessibleDirectory(files: Files, path: string): void {
  const kind = files.info(path, { followLinks: false })?.kind;
  if (kind === "directory") return;
  if (kind !== undefined) throw new LocalizeError("badConfig", `${path} is there and no directory`);
  try {
    files.makeDirectory(path);
    files.changeMode(path, directoryMode);
  } catch (error) {
    throw writeError(error, path);
  }
}

interface Incoming {
  readonly files: Files;
  readonly path: string;
  readonly open: AppendFile;
  readonly requested: RequestedFile;
  readonly closed: () => void;
}

function placedFile({ files, path, open, requested: { entry, size }, closed }: Incoming): PlacedFile {
  let hash = createHash("sha256");
  let receivedBytes = 0;
  const restart = () => {
    open.truncate(0);
    hash = createHash("sha256");
    receivedBytes = 0;
  };
  const full = () => {
    const availableBytes = files.freeBytes(path) + open.sizeBytes();
    return noSpace(size === undefined ? "more" : String(size), availableBytes, entry);
  };
  return {
    receivedBytes: () => receivedBytes,
    append(chunk) {
      try {
        open.append(chunk);
      } catch (error) {
        throw isFull(error) ? full() : writeError(error, path);
      }
      hash.update(chunk);
      receivedBytes += chunk.length;
    },
    restart,
    digest: () => `sha256:${hash.copy().digest("hex")}`,
    place({ path: place, executable }) {
      open.close();
      closed();
      try {
        files.changeMode(path, modeOf({ executable }));
        files.rename(path, place);
      } catch (error) {
        throw writeError(error, place);
      }
    },
    discard() {
      open.close();
      closed();
      files.remove(path);
    },
  };
}
