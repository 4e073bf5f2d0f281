import { constants, type Stats, writev } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { ContentWriter } from "./content-files.ts";
import { freeBuffer } from "./free-buffer.ts";
import { semaphore } from "./semaphore.ts";
import { skipBytes } from "./skip-bytes.ts";

/** Bytes in memory before the sender must wait. The same number again can be in memory while it is written. */
const batchBytes = 256 * 1024;
/** Limits the number of files that are written concurrently. */
const files = semaphore(8);
/** Number of batches to write before yielding to other writers. */
const batchesPerPermit = 32;

interface WriterState {
  readonly handle: FileHandle;
  /** Bytes written, including those in the file before. */
  sizeBytes: number;
  /** Pieces that no batch has taken yet. */
  pieces: Uint8Array[];
  waitingBytes: number;
  /** Whether more pieces can be added to the memory while a batch is written. */
  isAccepting: boolean;
  hasFailed: boolean;
  /** Writes queued pieces; `undefined` when idle. */
  working: Promise<void> | undefined;
  /** Current step of `working`; rejects with its error. */
  step: Promise<void>;
}

/**
 * Opens a file to append to, once it has a permit. Combines small pieces: a write call costs more than writing the
 * bytes. An idle file holds no permit.
 */
export async function openContentWriter(path: string): Promise<ContentWriter> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  const state: WriterState = {
    handle,
    sizeBytes: (await statOrClose(handle)).size,
    pieces: [],
    waitingBytes: 0,
    isAccepting: false,
    hasFailed: false,
    working: undefined,
    step: Promise.resolve(),
  };
  const flush = async () => {
    await state.working;
    await state.step;
  };
  state.working = writeQueued(state);
  await state.step;
  return {
    sizeBytes: () => state.sizeBytes,
    append: (piece) => append(state, piece),
    flush,
    async sync() {
      await flush();
      await handle.datasync();
    },
    async close() {
      await state.working;
      await handle.close();
    },
  };
}

/** Returns the properties of a file that was just opened. If that fails, closes it, because its caller never gets it. */
export async function statOrClose(handle: FileHandle): Promise<Stats> {
  try {
    return await handle.stat();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function append(state: WriterState, piece: Uint8Array): Promise<void> | undefined {
  if (state.hasFailed) return state.step;
  state.pieces.push(piece);
  state.waitingBytes += piece.length;
  state.working ??= writeQueued(state);
  return state.isAccepting && state.waitingBytes < batchBytes ? undefined : state.step;
}

async function writeQueued(state: WriterState): Promise<void> {
  try {
    do await writeWithPermit(state);
    while (state.waitingBytes > 0);
  } catch {
    // Waiting callers receive the error from `step`.
    state.hasFailed = true;
  }
  state.working = undefined;
}

async function writeWithPermit(state: WriterState): Promise<void> {
  state.step = files.acquire();
  await state.step;
  state.isAccepting = true;
  try {
    for (let batches = 1; state.isAccepting; batches += 1) {
      if (state.waitingBytes === 0) {
        state.step = new Promise((resolve) => setImmediate(resolve));
        await state.step;
      }
      if (state.waitingBytes === 0) return;
      // Pause the sender before the last batch: later bytes would stay in memory until the next permit.
      state.isAccepting = batches < batchesPerPermit || !files.hasWaiters();
      const batch = state.pieces;
      [state.pieces, state.waitingBytes] = [[], 0];
      state.step = writeBatch(state, batch);
      await state.step;
    }
  } finally {
    state.isAccepting = false;
    files.release();
  }
}

async function writeBatch(state: WriterState, batch: readonly Uint8Array[]): Promise<void> {
  for (let rest = batch; rest.length > 0; ) {
    const written = await writeSome(state.handle.fd, rest, state.sizeBytes);
    state.sizeBytes += written;
    rest = skipBytes(rest, written);
  }
  for (const piece of batch) freeBuffer(piece);
}

/** Writes a prefix of the pieces. @returns its length in bytes */
function writeSome(descriptor: number, pieces: readonly Uint8Array[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    writev(descriptor, [...pieces], position, (error, written) => {
      if (error === null) resolve(written);
      else reject(error);
    });
  });
}
