import * as fs from "node:fs";
import { dirname } from "node:path";
import type { AppendFile } from "./host.ts";

/** Opens a file of the real machine for appending, in a file of its own because no submission needs it. */
export function openAppendFile(path: string): AppendFile {
  const isNew = !fs.existsSync(path);
  const descriptor = fs.openSync(path, "a", 0o600);
  let size = 0;
  try {
    if (isNew) syncDirectory(dirname(path));
    size = fs.fstatSync(descriptor).size;
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
  return {
    sizeBytes: () => size,
    append(content) {
      let rest: Uint8Array = Buffer.from(content);
      while (rest.length > 0) {
        const written = fs.writeSync(descriptor, rest);
        size += written;
        rest = rest.subarray(written);
      }
    },
    truncate(sizeBytes) {
      fs.ftruncateSync(descriptor, sizeBytes);
      size = sizeBytes;
    },
    sync: () => fs.fdatasyncSync(descriptor),
    syncLater: () =>
      new Promise((resolve, reject) => {
        fs.fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
      }),
    close: () => fs.closeSync(descriptor),
  };
}

/** Syncs a directory, so that a new name in it survives a crash. */
function syncDirectory(path: string): void {
  const descriptor = fs.openSync(path, "r");
  try {
    fs.fsyncSync(descriptor);
  } catch {
    // Some file systems cannot sync a directory and do not need to.
  } finally {
    fs.closeSync(descriptor);
  }
}
