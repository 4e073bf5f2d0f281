/** Offsets of the blocks of a map output. */
export interface ShuffleIndex {
  /** Number of blocks. */
  readonly blocks: number;
  /** Size of the index file, for the limit of a cache. */
  readonly sizeBytes: number;
  /** Size that the data file must have. */
  readonly dataBytes: number;
  readonly offset: (block: number) => number;
}

/** Largest index file: 16 million blocks. */
export const maxIndexBytes = 128 * 1024 * 1024;

const offsetBytes = 8;

/**
 * Parses an index file: n + 1 offsets, from 0 and not decreasing. Returns the reason if it is invalid.
 *
 * Source: Spark IndexShuffleBlockResolver.
 */
export function parseShuffleIndex(bytes: Buffer): ShuffleIndex | string {
  if (bytes.length < offsetBytes || bytes.length % offsetBytes !== 0) return `it has ${bytes.length} bytes`;
  if (bytes.readBigInt64BE(0) !== 0n) return "its first offset is not 0";
  const offset = (block: number) =>
    bytes.readUInt32BE(block * offsetBytes) * 2 ** 32 + bytes.readUInt32BE(block * offsetBytes + 4);
  const blocks = bytes.length / offsetBytes - 1;
  for (let block = 0, last = 0; block <= blocks; block += 1) {
    const next = offset(block);
    // Larger than what a number can hold exactly, or negative.
    if (next < last || next > Number.MAX_SAFE_INTEGER) return "its offsets decrease";
    last = next;
  }
  return { blocks, sizeBytes: bytes.length, dataBytes: offset(blocks), offset };
}
