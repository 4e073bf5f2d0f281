import { freeBuffer } from "../../host/free-buffer.ts";

/** Buffers of one size for file content. Their number limits the memory of all transfers. */
export interface BufferPool {
  readonly bufferBytes: number;
  /** Waits for a free buffer, in first-come order. */
  readonly acquire: () => Promise<Buffer> | Buffer;
  readonly release: (buffer: Buffer) => void;
  /** Number of transfers that wait for a buffer. */
  readonly waiting: () => number;
  /** Bytes of all buffers, also of free ones. */
  readonly sizeBytes: () => number;
}

/** Free buffers that are kept for the next transfers. */
const maxFree = 16;

/** Creates a pool that allocates when it must. */
export function bufferPool(bufferBytes: number, maxBuffers: number): BufferPool {
  const free: Buffer[] = [];
  const waiting: ((buffer: Buffer) => void)[] = [];
  let allocated = 0;
  return {
    bufferBytes,
    acquire() {
      const buffer = free.pop();
      if (buffer !== undefined) return buffer;
      if (allocated < maxBuffers) {
        allocated += 1;
        return Buffer.allocUnsafeSlow(bufferBytes);
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    release(buffer) {
      const next = waiting.shift();
      if (next !== undefined) return next(buffer);
      if (free.length < maxFree) return void free.push(buffer);
      allocated -= 1;
      freeBuffer(buffer);
    },
    waiting: () => waiting.length,
    sizeBytes: () => allocated * bufferBytes,
  };
}
