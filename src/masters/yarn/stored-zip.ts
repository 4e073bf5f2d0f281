import { crc32 } from "node:zlib";
import type { StreamedContent } from "../../hadoop/webhdfs.ts";

/** A file in an archive. */
export interface ZipEntry {
  readonly name: string;
  readonly sizeBytes: number;
  /** Opens the content; called more than once. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

const largest = 0xffff_ffff;

/**
 * Builds an archive of uncompressed files while it is sent. Reads each file twice, because the checksum precedes
 * the content.
 *
 * Source: PKWARE .ZIP File Format Specification 6.3.10, without ZIP64.
 *
 * @throws RangeError if it would be larger than 4 GiB
 */
export async function storedZip(entries: readonly ZipEntry[]): Promise<StreamedContent> {
  const parts: { entry: ZipEntry; head: Buffer }[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const fields = { ...entry, checksum: await checksumOf(entry) };
    const head = localHeader(fields);
    parts.push({ entry, head });
    directory.push(directoryHeader(fields, offset));
    offset += head.length + entry.sizeBytes;
    if (offset > largest) throw new RangeError("an archive of more than 4 GiB");
  }
  const names = Buffer.concat(directory);
  const end = endRecord({ count: entries.length, sizeBytes: names.length, offset });
  return {
    sizeBytes: offset + names.length + end.length,
    async *chunks() {
      for (const { entry, head } of parts) {
        yield head;
        yield* entry.chunks();
      }
      yield names;
      yield end;
    },
  };
}

/** Creates a file whose content is in memory. */
export function zipEntryOf(name: string, bytes: Uint8Array): ZipEntry {
  return {
    name,
    sizeBytes: bytes.length,
    async *chunks() {
      yield bytes;
    },
  };
}

async function checksumOf({ chunks }: ZipEntry): Promise<number> {
  let checksum = 0;
  for await (const chunk of chunks()) checksum = crc32(chunk, checksum);
  return checksum;
}

interface Fields {
  readonly name: string;
  readonly sizeBytes: number;
  readonly checksum: number;
}

const version = 10;
/** General purpose flag: names are in UTF-8. */
const flags = 0x0800;
/** 1980-01-01, a fixed date so that equal files give equal archives. */
const date = 0x21;

function localHeader({ name, sizeBytes, checksum }: Fields): Buffer {
  const encoded = Buffer.from(name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  writeCommon(header, 4, { sizeBytes, checksum, nameBytes: encoded.length });
  return Buffer.concat([header, encoded]);
}

function directoryHeader({ name, sizeBytes, checksum }: Fields, offset: number): Buffer {
  const encoded = Buffer.from(name);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x0201_4b50, 0);
  // Created on Unix, so that the attributes below are a mode.
  header.writeUInt16LE((3 << 8) | version, 4);
  writeCommon(header, 6, { sizeBytes, checksum, nameBytes: encoded.length });
  header.writeUInt32LE((0o100644 << 16) >>> 0, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, encoded]);
}

/** Writes the fields from the required version to the length of extra fields. Method 0 and time 0 are already there. */
function writeCommon(
  header: Buffer,
  at: number,
  { sizeBytes, checksum, nameBytes }: { sizeBytes: number; checksum: number; nameBytes: number },
): void {
  header.writeUInt16LE(version, at);
  header.writeUInt16LE(flags, at + 2);
  header.writeUInt16LE(date, at + 8);
  header.writeUInt32LE(checksum, at + 10);
  header.writeUInt32LE(sizeBytes, at + 14);
  header.writeUInt32LE(sizeBytes, at + 18);
  header.writeUInt16LE(nameBytes, at + 22);
}

function endRecord({ count, sizeBytes, offset }: { count: number; sizeBytes: number; offset: number }): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x0605_4b50, 0);
  record.writeUInt16LE(count, 8);
  record.writeUInt16LE(count, 10);
  record.writeUInt32LE(sizeBytes, 12);
  record.writeUInt32LE(offset, 16);
  return record;
}
