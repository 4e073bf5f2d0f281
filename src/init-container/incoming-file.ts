import { createHash } from "node:crypto";
import type { AppendFile, Files } from "../host/host.ts";
import type { Digest } from "../staging-client/bundle.ts";
import { isFull, LocalizeError, noSpace, writeError } from "./localize-error.ts";

/** A file that is being received. Moves to its final path when it is complete and verified. */
export interface IncomingFile {
  readonly receivedBytes: () => number;
  readonly append: (chunk: Uint8Array) => void;
  /** Discards the received bytes. */
  readonly restart: () => void;
  readonly digest: () => Digest;
  /** Closes the file when it has all bytes, because thousands of files may wait for the last one. */
  readonly close: () => void;
  /** Moves the file to its final path. @throws LocalizeError */
  readonly moveTo: (destination: { readonly path: string; readonly executable: boolean }) => void;
  readonly discard: () => void;
}

/** Directory of incomplete files, on the file system of their final paths so that a rename is atomic. */
export interface IncomingDirectory {
  readonly path: string;
  /** Opens a new file. @throws LocalizeError */
  readonly open: (requested: RequestedFile) => Promise<IncomingFile>;
  /** Removes the directory and all files that were not moved. */
  readonly remove: () => void;
}

interface RequestedFile {
  /** For messages. */
  readonly entry: string;
  /** In bytes, if known. */
  readonly size?: number | undefined;
}

const directoryMode = 0o755;

/** Returns the mode of a localized file: readable by all users, independent of the umask. */
export function modeOf({ executable }: { readonly executable: boolean }): number {
  return executable ? 0o755 : 0o644;
}

/** Creates the directory of incomplete files. Removes what an earlier run has left there. @throws LocalizeError */
export function openIncoming(files: Files, directory: string): IncomingDirectory {
  const incoming = `${directory}/.incoming`;
  const opened = new Set<IncomingFile>();
  let number = 0;
  try {
    files.remove(incoming);
    files.makeDirectory(incoming, { mode: 0o700 });
  } catch (error) {
    throw writeError(error, directory);
  }
  return {
    path: incoming,
    async open(requested) {
      number += 1;
      const path = `${incoming}/${number}`;
      const open = await files.openAppend(path).catch((error: unknown) => {
        throw writeError(error, path);
      });
      const file = incomingFile({ files, path, open, requested, onClose: () => opened.delete(file) });
      opened.add(file);
      return file;
    },
    remove() {
      for (const file of [...opened]) file.discard();
      files.remove(incoming);
    },
  };
}

/** Creates a directory that all users can read, independent of the umask, if it does not exist. @throws LocalizeError */
export function makeAccessibleDirectory(files: Files, path: string): void {
  const kind = files.info(path, { followLinks: false })?.kind;
  if (kind === "directory") return;
  if (kind !== undefined) throw new LocalizeError("badConfig", `${path} exists and is not a directory`);
  try {
    files.makeDirectory(path);
    files.changeMode(path, directoryMode);
  } catch (error) {
    throw writeError(error, path);
  }
}

interface OpenFile {
  readonly files: Files;
  readonly path: string;
  readonly open: AppendFile;
  readonly requested: RequestedFile;
  readonly onClose: () => void;
}

function incomingFile({ files, path, open, requested: { entry, size }, onClose }: OpenFile): IncomingFile {
  let hash = createHash("sha256");
  let receivedBytes = 0;
  let isOpen = true;
  const close = () => {
    if (isOpen) open.close();
    isOpen = false;
  };
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
    close,
    moveTo({ path: finalPath, executable }) {
      close();
      onClose();
      try {
        files.changeMode(path, modeOf({ executable }));
        files.rename(path, finalPath);
      } catch (error) {
        throw writeError(error, finalPath);
      }
    },
    discard() {
      close();
      onClose();
      files.remove(path);
    },
  };
}
