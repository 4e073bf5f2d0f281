import { constants, writev } from "node:fs";
import { open } from "node:fs/promises";
import type { ContentWriter } from "./content-files.ts";
import { freeBuffer } from "./free-buffer.ts";
import { semaphore } from "./semaphore.ts";

/** As much of a file is in memory before its sender has to wait, and as much again while that is written. */
const batchBytes = 256 * 1024;
/** So many files are written at once: their senders send, and the others wait. */
const files = semaphore(8);
/** Number of batches to write before yielding to other writers. */
const batchesATurn = 32;

/**
 * Opens a file for writing at its end, when it is its turn. Small pieces are written together: to ask for a write costs more than
 * the write. A file of which nothing comes is in nobody's way.
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
  const acquireTurn = async () => {
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
        // Its sender stops before its last batch: what came later would be in memory until its next turn.
        isActive = batches < batchesATurn || !files.hasWaiters();
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
      do await acquireTurn();
      while (waitingBytes > 0);
    } catch {
      // Whoever waits is told by the step.
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
