import { inflateRawSync } from "node:zlib";

const entryMark = Buffer.from("PK\x03\x04");
const headerSize = 30;
const manifestName = "META-INF/MANIFEST.MF";

/**
 * The manifest of a jar of which only the beginning is there: it must be the first entry, or the second one after
 * `META-INF/`, as tools that make jars put it.
 *
 * @returns `undefined` where it is not there
 * Source: java.util.jar.JarInputStream, with which Spark reads jars.
 */
export function leadingManifest(jar: Buffer): Buffer | undefined {
  const first = readEntry(jar, 0);
  // A folder has nothing to skip but, perhaps, the empty content of a packer.
  const isFolder = first?.name.toUpperCase() === "META-INF/";
  const entry = isFolder ? readEntry(jar, jar.indexOf(entryMark, first.start)) : first;
  if (entry?.name.toUpperCase() !== manifestName) return undefined;
  return contentOf(jar, entry);
}

interface Entry {
  readonly name: string;
  readonly isPacked: boolean;
  readonly start: number;
  /** Of the content, where the header tells its size. */
  readonly end: number;
}

function readEntry(jar: Buffer, at: number): Entry | undefined {
  if (at < 0 || at + headerSize > jar.length || !jar.subarray(at, at + 4).equals(entryMark)) return undefined;
  const nameEnd = at + headerSize + jar.readUInt16LE(at + 26);
  const start = nameEnd + jar.readUInt16LE(at + 28);
  return {
    name: jar.toString("utf8", at + headerSize, nameEnd),
    isPacked: jar.readUInt16LE(at + 8) !== 0,
    start,
    end: start + jar.readUInt32LE(at + 18),
  };
}

function contentOf(jar: Buffer, { isPacked, start, end }: Entry): Buffer | undefined {
  if (!isPacked) return jar.subarray(start, end);
  try {
    // What is packed knows its own end, which the header need not tell.
    return inflateRawSync(jar.subarray(start));
  } catch {
    return undefined;
  }
}
