import { type Manifest, manifestContent, maxManifestBytes, tooLarge } from "./manifest-content.ts";

/** A zip archive on this machine. */
export interface Zip {
  /** Reads a range; returns fewer bytes at the end of the file. */
  readonly read: (offset: number, sizeBytes: number) => Buffer;
  readonly sizeBytes: number;
}

/** The directory at the end of an archive. */
interface Directory {
  readonly start: number;
  readonly end: number;
  /** Bytes before the archive, e.g. of a shell script. Offsets in the directory do not count them. */
  readonly prefixBytes: number;
}

const end = { signature: 0x06054b50, sizeBytes: 22 };
const locator64 = { signature: 0x07064b50, sizeBytes: 20 };
const end64 = { signature: 0x06064b50, sizeBytes: 56 };
const entry = { signature: 0x02014b50, sizeBytes: 46 };
const header = { signature: 0x04034b50, sizeBytes: 30 };
const max16 = 0xffff;
const max32 = 0xffffffff;

const manifestName = "META-INF/MANIFEST.MF";
const notAJar: Manifest = { problem: "is not a jar" };

/**
 * Reads the manifest of a jar through the directory at its end, and nothing else. Reads the directory in blocks up to its end: its number of
 * entries can be wrong above 65,535.
 *
 * Source: PKWARE APPNOTE 6.3.10; java.util.zip.ZipFile, which uses the size of the directory, too.
 */
export function zipManifest(zip: Zip): Manifest {
  const directory = findDirectory(zip);
  if (directory === undefined) return notAJar;
  const readBlock = blockReader(zip, directory);
  for (let at = directory.start; at < directory.end; ) {
    const sizes = entrySizes(readBlock(at, entry.sizeBytes));
    if (sizes === undefined) return notAJar;
    if (sizes.nameBytes === manifestName.length) {
      const complete = readBlock(at, sizes.sizeBytes);
      if (nameOf(complete, sizes.nameBytes).toUpperCase() === manifestName)
        return readContent(zip, directory, complete);
    }
    at += sizes.sizeBytes;
  }
  return {};
}

/** Returns the names of the entries up to the first that is damaged; none if the file is not an archive. */
export function zipEntryNames(zip: Zip): readonly string[] {
  const directory = findDirectory(zip);
  if (directory === undefined) return [];
  const readBlock = blockReader(zip, directory);
  const names: string[] = [];
  for (let at = directory.start; at < directory.end; ) {
    const sizes = entrySizes(readBlock(at, entry.sizeBytes));
    if (sizes === undefined) break;
    names.push(nameOf(readBlock(at, sizes.sizeBytes), sizes.nameBytes));
    at += sizes.sizeBytes;
  }
  return names;
}

/** Reads the sizes of an entry; `undefined` if it is damaged. */
function entrySizes(fixed: Buffer) {
  if (fixed.length < entry.sizeBytes || fixed.readUInt32LE(0) !== entry.signature) return undefined;
  const nameBytes = fixed.readUInt16LE(28);
  const otherBytes = fixed.readUInt16LE(30) + fixed.readUInt16LE(32);
  return { nameBytes, sizeBytes: entry.sizeBytes + nameBytes + otherBytes };
}

function nameOf(complete: Buffer, nameBytes: number): string {
  return complete.toString("latin1", entry.sizeBytes, entry.sizeBytes + nameBytes);
}

/** Finds the end record, which a comment can follow, and the directory before it. */
function findDirectory({ read, sizeBytes }: Zip): Directory | undefined {
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

function findDirectory64(read: Zip["read"], endAt: number): Directory | undefined {
  if (endAt < locator64.sizeBytes) return undefined;
  const locator = read(endAt - locator64.sizeBytes, locator64.sizeBytes);
  if (locator.length < locator64.sizeBytes || locator.readUInt32LE(0) !== locator64.signature) return undefined;
  const at = Number(locator.readBigUInt64LE(8));
  if (at > endAt) return undefined;
  const record = read(at, end64.sizeBytes);
  if (record.length < end64.sizeBytes || record.readUInt32LE(0) !== end64.signature) return undefined;
  return directoryBefore(at, Number(record.readBigUInt64LE(40)), Number(record.readBigUInt64LE(48)));
}

function directoryBefore(endAt: number, size: number, offset: number): Directory | undefined {
  const start = endAt - size;
  return start < offset ? undefined : { start, end: endAt, prefixBytes: start - offset };
}

const blockBytes = 256 * 1024;

/** Returns a reader of parts of the directory. An entry is smaller than a block. */
function blockReader({ read }: Zip, directory: Directory): Zip["read"] {
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

function readContent({ read }: Zip, { prefixBytes }: Directory, found: Buffer): Manifest {
  const [packed, offset] = sizesOf(found);
  if (packed > maxManifestBytes) return tooLarge;
  const local = read(offset + prefixBytes, header.sizeBytes);
  if (local.length < header.sizeBytes || local.readUInt32LE(0) !== header.signature) return notAJar;
  const start = offset + prefixBytes + header.sizeBytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  return manifestContent({
    flags: found.readUInt16LE(8),
    method: found.readUInt16LE(10),
    packed: read(start, packed),
  });
}

/** Reads the packed size and the offset of the header, which zip64 keeps in an extra field. Source: APPNOTE 4.5.3. */
function sizesOf(found: Buffer): readonly [packed: number, offset: number] {
  const [packed, unpacked, offset] = [20, 24, 42].map((at) => found.readUInt32LE(at));
  const extraStart = entry.sizeBytes + found.readUInt16LE(28);
  const extra = found.subarray(extraStart, extraStart + found.readUInt16LE(30));
  let values: number[] = [];
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    if (extra.readUInt16LE(at) !== 1) continue;
    values = Array.from({ length: Math.floor(field.length / 8) }, (_, index) =>
      Number(field.readBigUInt64LE(index * 8)),
    );
  }
  const large = (value: number | undefined) => (value === max32 ? (values.shift() ?? max32) : (value ?? 0));
  large(unpacked);
  return [large(packed), large(offset)];
}
