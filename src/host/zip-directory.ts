import type { Files } from "./host.ts";

/** A zip archive on this machine. */
export interface Zip {
  /** Reads a range; returns fewer bytes at the end of the file. */
  readonly read: (offset: number, sizeBytes: number) => Buffer;
  readonly sizeBytes: number;
}

/** The directory at the end of an archive. */
export interface ZipDirectory {
  readonly start: number;
  readonly end: number;
  /** Bytes before the archive, e.g. of a shell script. Offsets in the directory do not count them. */
  readonly prefixBytes: number;
}

const end = { signature: 0x06054b50, sizeBytes: 22 };
const locator64 = { signature: 0x07064b50, sizeBytes: 20 };
const end64 = { signature: 0x06064b50, sizeBytes: 56 };
/** Fixed part of an entry of the directory. */
export const entry = { signature: 0x02014b50, sizeBytes: 46 };
const max16 = 0xffff;
const max32 = 0xffffffff;

/** Opens a file of this machine; `undefined` if it is none. */
export function localZip(files: Pick<Files, "info" | "readRange">, path: string): Zip | undefined {
  const info = files.info(path);
  if (info?.kind !== "file") return undefined;
  const read: Zip["read"] = (offset, sizeBytes) => Buffer.from(files.readRange(path, offset, sizeBytes) ?? []);
  return { read, sizeBytes: info.sizeBytes };
}

/**
 * Yields the names of the entries up to the first that is damaged. Yields none if the file is not an archive, or if its directory has more
 * than `maxDirectoryBytes`.
 */
export function* zipEntryNames(zip: Zip, maxDirectoryBytes = Number.POSITIVE_INFINITY): Generator<string> {
  const directory = findZipDirectory(zip);
  if (directory === undefined || directory.end - directory.start > maxDirectoryBytes) return;
  const readBlock = blockReader(zip, directory);
  for (let at = directory.start; at < directory.end; ) {
    const sizes = entrySizes(readBlock(at, entry.sizeBytes));
    if (sizes === undefined) return;
    yield nameOf(readBlock(at, sizes.sizeBytes), sizes.nameBytes);
    at += sizes.sizeBytes;
  }
}

/** Reads the sizes of an entry; `undefined` if it is damaged. */
export function entrySizes(fixed: Buffer) {
  if (fixed.length < entry.sizeBytes || fixed.readUInt32LE(0) !== entry.signature) return undefined;
  const nameBytes = fixed.readUInt16LE(28);
  const otherBytes = fixed.readUInt16LE(30) + fixed.readUInt16LE(32);
  return { nameBytes, sizeBytes: entry.sizeBytes + nameBytes + otherBytes };
}

/** Returns the name of a complete entry. */
export function nameOf(complete: Buffer, nameBytes: number): string {
  return complete.toString("latin1", entry.sizeBytes, entry.sizeBytes + nameBytes);
}

/**
 * Finds the end record, which a comment can follow, and the directory before it.
 *
 * Source: PKWARE APPNOTE 6.3.10.
 */
export function findZipDirectory({ read, sizeBytes }: Zip): ZipDirectory | undefined {
  const tailBytes = Math.min(sizeBytes, end.sizeBytes + max16);
  const tailStart = sizeBytes - tailBytes;
  const tail = read(tailStart, tailBytes);
  for (let at = tail.length - end.sizeBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== end.signature) continue;
    const [size, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    const found = size === max32 || offset === max32 ? findDirectory64(read, tailStart + at) : undefined;
    return found ?? directoryBefore(tailStart + at, size, offset);
  }
  return undefined;
}

function findDirectory64(read: Zip["read"], endAt: number): ZipDirectory | undefined {
  if (endAt < locator64.sizeBytes) return undefined;
  const locator = read(endAt - locator64.sizeBytes, locator64.sizeBytes);
  if (locator.length < locator64.sizeBytes || locator.readUInt32LE(0) !== locator64.signature) return undefined;
  const at = Number(locator.readBigUInt64LE(8));
  if (at > endAt) return undefined;
  const record = read(at, end64.sizeBytes);
  if (record.length < end64.sizeBytes || record.readUInt32LE(0) !== end64.signature) return undefined;
  return directoryBefore(at, Number(record.readBigUInt64LE(40)), Number(record.readBigUInt64LE(48)));
}

function directoryBefore(endAt: number, size: number, offset: number): ZipDirectory | undefined {
  const start = endAt - size;
  return start < offset ? undefined : { start, end: endAt, prefixBytes: start - offset };
}

const blockBytes = 256 * 1024;

/** Returns a reader of parts of the directory. An entry is smaller than a block. */
export function blockReader({ read }: Zip, directory: ZipDirectory): Zip["read"] {
  let block: Buffer = Buffer.alloc(0);
  let blockStart = directory.start;
  return (offset, sizeBytes) => {
    if (offset + sizeBytes > blockStart + block.length) {
      block = read(offset, Math.min(blockBytes, directory.end - offset));
      blockStart = offset;
    }
    return block.subarray(offset - blockStart, offset - blockStart + sizeBytes);
  };
}
