import {
  blockReader,
  entry,
  entrySizes,
  findZipDirectory,
  nameOf,
  type Zip,
  type ZipDirectory,
} from "../host/zip-directory.ts";
import { type Manifest, manifestContent, maxManifestBytes, tooLarge } from "./manifest-content.ts";

const header = { signature: 0x04034b50, sizeBytes: 30 };
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
  const directory = findZipDirectory(zip);
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

function readContent({ read }: Zip, { prefixBytes }: ZipDirectory, found: Buffer): Manifest {
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
