import type { Behaviors } from "../conf/behaviors.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { messageOf } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";

/**
 * The `Main-Class` of a jar's manifest, for an application whose class was not given.
 *
 * Errors: SUBMIT_ERR_MAIN_CLASS_UNREADABLE, SUBMIT_ERR_MAIN_CLASS_MISSING; only jars of this machine and of `http:` and
 * `https:` can be read.
 * Source: Spark SparkSubmit.prepareSubmitEnvironment.
 */
export async function readMainClass(uri: string, { host, behaviors }: JarReader): Promise<Result<string>> {
  const manifest = await readManifest(uri, host);
  if (!manifest.ok) return manifest;
  const { value } = manifest;
  if (behaviors.mainClassLookup === "spark" && !Buffer.isBuffer(value)) return unreadable(noManifest);
  if (value === "notAZip") return unreadable(`${uri.replace(/^file:/, "")} is not a jar`);
  const mainClass = value === undefined ? undefined : attributeOf(value.toString("utf8"), "Main-Class");
  return mainClass === undefined ? failure("SUBMIT_ERR_MAIN_CLASS_MISSING", {}) : success(mainClass);
}

/** Whether a jar of this machine carries R packages, which Spark would build. Source: Spark RPackageUtils. */
export async function hasRPackages(uri: string, host: Host): Promise<boolean> {
  const place = parseDependencyUri(uri);
  if (place.kind !== "submitterLocal") return false;
  const manifest = await readLocalManifest(uri, place.path, host);
  const text = manifest.ok && Buffer.isBuffer(manifest.value) ? manifest.value.toString("utf8") : "";
  return attributeOf(text, "Spark-HasRPackage")?.trim() === "true";
}

/** Who reads it. */
export interface JarReader {
  readonly host: Host;
  readonly behaviors: Pick<Behaviors, "mainClassLookup">;
}

const noManifest =
  'Cannot invoke "java.util.jar.Manifest.getMainAttributes()" because the return value of "java.util.jar.JarInputStream.getManifest()" is null';

type Manifest = Buffer | "notAZip" | undefined;

async function readManifest(uri: string, host: Host): Promise<Result<Manifest>> {
  const place = parseDependencyUri(uri);
  switch (place.kind) {
    case "submitterLocal":
      return readLocalManifest(uri, place.path, host);
    case "containerLocal":
      return unreadable('No FileSystem for scheme "local"');
    case "remote": {
      const { isFetched } = await import("./fetch-remote.ts");
      return isFetched(place.scheme)
        ? fetchManifest(uri, host)
        : unreadable(`No FileSystem for scheme "${place.scheme}"`);
    }
  }
}

function unreadable(reason: string): Result<never> {
  return failure("SUBMIT_ERR_MAIN_CLASS_UNREADABLE", { reason });
}

/** More of a jar is not fetched for its manifest. */
const manifestLimitBytes = 1024 * 1024;

async function fetchManifest(uri: string, host: Host): Promise<Result<Manifest>> {
  const { fetchRemote } = await import("./fetch-remote.ts");
  try {
    const { bytes } = await fetchRemote(host, uri, manifestLimitBytes);
    const { leadingManifest } = await import("./leading-manifest.ts");
    return success(leadingManifest(bytes));
  } catch (error) {
    return unreadable(messageOf(error));
  }
}

/** As Hadoop prints a path: nothing is escaped. */
function shown(uri: string, path: string): string {
  const [, fragment] = uri.split("#");
  return uri.startsWith("file:") ? `file:${path}${fragment === undefined ? "" : `#${fragment}`}` : uri;
}

async function readLocalManifest(uri: string, path: string, { files }: Host): Promise<Result<Manifest>> {
  const info = files.info(path);
  if (info?.kind === "directory") return unreadable(`${path.replace(/\/$/, "")} (Is a directory)`);
  if (info?.kind !== "file") return unreadable(`File ${shown(uri, path)} does not exist`);
  const read: ReadRange = (offset, sizeBytes) => Buffer.from(files.readRange(path, offset, sizeBytes) ?? []);
  return success(await readZipEntry({ read, sizeBytes: info.sizeBytes }, "META-INF/MANIFEST.MF"));
}

/** The main section ends at the first empty line; a line that begins with a blank continues the one before; the last of two wins. */
function attributeOf(manifest: string, name: string): string | undefined {
  const [main = ""] = manifest.replaceAll(/\r\n?/g, "\n").split("\n\n");
  const line = main
    .replaceAll("\n ", "")
    .split("\n")
    .findLast((text) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.replace(/^[^:]*: ?/, "");
}

/** Bytes of a file; fewer at its end. */
type ReadRange = (offset: number, sizeBytes: number) => Buffer;

interface Zip {
  readonly read: ReadRange;
  readonly sizeBytes: number;
}

const endSignature = 0x06054b50;
const endSize = 22;
const longestComment = 0xffff;
const entrySignature = 0x02014b50;
const entrySize = 46;
const headerSize = 30;

/** One entry of a zip archive, found by the directory at its end; the rest is never read. */
async function readZipEntry(
  { read, sizeBytes }: Zip,
  wanted: string,
): Promise<Buffer | "notAZip" | undefined> {
  const tailSize = Math.min(sizeBytes, endSize + longestComment);
  const tail = read(sizeBytes - tailSize, tailSize);
  const end = findEnd(tail);
  if (end === undefined) return "notAZip";
  const directory = read(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
  let at = 0;
  for (let left = tail.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + entrySize > directory.length || directory.readUInt32LE(at) !== entrySignature) return "notAZip";
    const nameEnd = at + entrySize + directory.readUInt16LE(at + 28);
    const name = directory.toString("utf8", at + entrySize, nameEnd);
    if (name.toUpperCase() === wanted) return readContent(read, directory.subarray(at));
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return undefined;
}

/** A comment may follow the record of the end. */
function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - endSize; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === endSignature) return at;
  }
  return undefined;
}

async function readContent(read: ReadRange, entry: Buffer): Promise<Buffer | "notAZip"> {
  const headerAt = entry.readUInt32LE(42);
  const header = read(headerAt, headerSize);
  if (header.length < headerSize) return "notAZip";
  const start = headerAt + headerSize + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = read(start, entry.readUInt32LE(20));
  if (entry.readUInt16LE(10) === 0) return packed;
  const { inflateRawSync } = await import("node:zlib");
  try {
    return inflateRawSync(packed);
  } catch {
    return "notAZip";
  }
}
