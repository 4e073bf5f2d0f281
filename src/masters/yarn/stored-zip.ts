import { crc32 } from "node:zlib";
import type { StreamedContent } from "../../hadoop/webhdfs.ts";

/** A file in an archive. */
interface ZipEntry {
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
    if (offset > largest) throw new RangeError("The archive exceeds 4 GiB.");
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

interface FileFields extends Pick<ZipEntry, "name" | "sizeBytes"> {
  readonly checksum: number;
}

/** Unsigned little-endian numbers. */
type Fields = readonly (readonly [bytes: 2 | 4, value: number])[];

const version = 10;
/** General purpose flag: names are in UTF-8. */
const flags = 0x0800;
/** 1980-01-01, a fixed date so that equal files give equal archives. */
const date = 0x21;

function localHeader(file: FileFields): Buffer {
  return Buffer.concat([encode([[4, 0x0403_4b50], ...commonFields(file)]), Buffer.from(file.name)]);
}

function directoryHeader(file: FileFields, offset: number): Buffer {
  const header = encode([
    [4, 0x0201_4b50],
    // Created on Unix, so that the attributes below are a mode.
    [2, (3 << 8) | version],
    ...commonFields(file),
    // Without comment, disk number and internal attributes.
    [4, 0],
    [2, 0],
    [4, (0o100644 << 16) >>> 0],
    [4, offset],
  ]);
  return Buffer.concat([header, Buffer.from(file.name)]);
}

/** Returns the fields from the required version to the length of extra fields. */
function commonFields({ name, sizeBytes, checksum }: FileFields): Fields {
  const [method, time, extraBytes] = [0, 0, 0];
  const head = [version, flags, method, time, date].map((value) => [2, value] as const);
  return [...head, [4, checksum], [4, sizeBytes], [4, sizeBytes], [2, Buffer.byteLength(name)], [2, extraBytes]];
}

function endRecord({ count, sizeBytes, offset }: { count: number; sizeBytes: number; offset: number }): Buffer {
  return encode([
    [4, 0x0605_4b50],
    [4, 0],
    [2, count],
    [2, count],
    [4, sizeBytes],
    [4, offset],
    [2, 0],
  ]);
}

function encode(fields: Fields): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}
