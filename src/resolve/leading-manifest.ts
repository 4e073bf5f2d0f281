import { type Manifest, manifestContent } from "./manifest-content.ts";

const entryMark = Buffer.from("PK\x03\x04");
const headerSize = 30;
const manifestName = "META-INF/MANIFEST.MF";

/**
 * Reads the manifest from the beginning of a jar. It must be the first entry, or the second one after `META-INF/`, where
 * jar tools put it.
 *
 * Source: java.util.jar.JarInputStream, with which Spark reads jars.
 */
export function leadingManifest(jar: Buffer): Manifest {
  const first = readEntry(jar, 0);
  // Some tools write an empty compressed content after a directory entry: search for the next entry.
  const isDirectory = first?.name.toUpperCase() === "META-INF/";
  const entry = isDirectory ? readEntry(jar, jar.indexOf(entryMark, first.start)) : first;
  if (entry?.name.toUpperCase() !== manifestName) return {};
  // Compressed content marks its own end; the header can omit the size.
  return manifestContent({ ...entry, packed: jar.subarray(entry.start, entry.method === 0 ? entry.end : undefined) });
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly start: number;
  /** End of the content, if the header contains its size. */
  readonly end: number;
}

function readEntry(jar: Buffer, at: number): Entry | undefined {
  if (at < 0 || at + headerSize > jar.length || !jar.subarray(at, at + 4).equals(entryMark)) return undefined;
  const nameEnd = at + headerSize + jar.readUInt16LE(at + 26);
  const start = nameEnd + jar.readUInt16LE(at + 28);
  return {
    name: jar.toString("utf8", at + headerSize, nameEnd),
    flags: jar.readUInt16LE(at + 6),
    method: jar.readUInt16LE(at + 8),
    start,
    end: start + jar.readUInt32LE(at + 18),
  };
}
