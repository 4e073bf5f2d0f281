import { constants, writev } from "node:fs";
import { open } from "node:fs/promises";
import type { ContentWriter } from "./content-files.ts";
import { freeBuffer } from "./free-buffer.ts";
import { semaphore } from "./semaphore.ts";

/** Bytes in memory before the sender must wait. The same number again can be in memory while it is written. */
const batchBytes = 256 * 1024;
/** Limits the number of files that are written concurrently. */
const files = semaphore(8);
/** Number of batches to write before yielding to other writers. */
const batchesPerPermit = 32;

/**
 * Opens a file to append to, once it has a permit. Combines small pieces: a write call costs more than writing the
 * bytes. An idle file holds no permit.
 */
export async function openContentWriter(path: string): Promise<ContentWriter> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  let size = (await handle.stat()).size;
  let [pieces, waitingBytes]: [Uint8Array[], number] = [[], 0];
  let [isActive, hasFailed] = [false, false];
  let working: Promise<void> | undefined;
  let step: Promise<void> = Promise.resolve();

  const write = async (batch: readonly Uint8Array[]) => {
    for (let rest = batch; rest.length > 0; ) {
      const written = await writeSome(handle.fd, rest, size);
      size += written;
      rest = behind(rest, written);
    }
    for (const piece of batch) freeBuffer(piece);
  };
  const writeWithPermit = async () => {
    step = files.acquire();
    await step;
    isActive = true;
    try {
      for (let batches = 1; isActive; batches += 1) {
        if (waitingBytes === 0) {
          step = new Promise((resolve) => setImmediate(resolve));
          await step;
        }
        if (waitingBytes === 0) return;
        // Pause the sender before the last batch: later bytes would stay in memory until the next permit.
        isActive = batches < batchesPerPermit || !files.hasWaiters();
        const batch = pieces;
        [pieces, waitingBytes] = [[], 0];
        step = write(batch);
        await step;
      }
    } finally {
      isActive = false;
      files.release();
    }
  };
  const work = async () => {
    try {
      do await writeWithPermit();
      while (waitingBytes > 0);
    } catch {
      // Waiting callers receive the error from `step`.
      hasFailed = true;
    }
    working = undefined;
  };
  const flush = async () => {
    await working;
    await step;
  };

  working = work();
  await step;
  return {
    sizeBytes: () => size,
    append(piece) {
      if (hasFailed) return step;
      pieces.push(piece);
      waitingBytes += piece.length;
      working ??= work();
      return isActive && waitingBytes < batchBytes ? undefined : step;
    },
    flush,
    async sync() {
      await flush();
      await handle.datasync();
    },
    async close() {
      await working;
      await handle.close();
    },
  };
}

/** @returns how many bytes were written */
function writeSome(descriptor: number, pieces: readonly Uint8Array[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    writev(descriptor, [...pieces], position, (error, written) => {
      if (error === null) resolve(written);
      else reject(error);
    });
  });
}

/** Returns the unwritten rest of the pieces. */
function behind(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = bytes;
  return pieces.flatMap((piece) => {
    const left = piece.subarray(Math.min(skipped, piece.length));
    skipped -= piece.length - left.length;
    return left.length === 0 ? [] : [left];
  });
}
