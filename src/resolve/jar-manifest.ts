import type { Behaviors } from "../conf/behaviors.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { messageOf } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";

/**
 * Reads `Main-Class` from a jar's manifest, for an application without a specified class. The jar must be on this
 * machine, or at an `http:` or `https:` URL.
 *
 * Errors: SUBMIT_ERR_MAIN_CLASS_UNREADABLE, SUBMIT_ERR_MAIN_CLASS_MISSING.
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

/** Returns whether a jar of this machine contains R packages, which Spark would build. Source: Spark RPackageUtils. */
export async function hasRPackages(uri: string, host: Host): Promise<boolean> {
  const location = parseDependencyUri(uri);
  if (location.kind !== "submitterLocal") return false;
  const manifest = await readLocalManifest(uri, location.path, host);
  const text = manifest.ok && Buffer.isBuffer(manifest.value) ? manifest.value.toString("utf8") : "";
  return attributeOf(text, "Spark-HasRPackage")?.trim() === "true";
}

/** Dependencies of reading a jar. */
interface JarReader {
  readonly host: Host;
  readonly behaviors: Pick<Behaviors, "mainClassLookup">;
}

const noManifest =
  'Cannot invoke "java.util.jar.Manifest.getMainAttributes()" because the return value of "java.util.jar.JarInputStream.getManifest()" is null';

type Manifest = Buffer | "notAZip" | undefined;

async function readManifest(uri: string, host: Host): Promise<Result<Manifest>> {
  const location = parseDependencyUri(uri);
  switch (location.kind) {
    case "submitterLocal":
      return readLocalManifest(uri, location.path, host);
    case "containerLocal":
      return unreadable('No FileSystem for scheme "local"');
    case "remote": {
      const { isFetched } = await import("./fetch-remote.ts");
      return isFetched(location.scheme)
        ? fetchManifest(uri, host)
        : unreadable(`No FileSystem for scheme "${location.scheme}"`);
    }
  }
}

function unreadable(reason: string): Result<never> {
  return failure("SUBMIT_ERR_MAIN_CLASS_UNREADABLE", { reason });
}

/** Limit of what is fetched of a jar for its manifest. */
const maxFetchedBytes = 1024 * 1024;

async function fetchManifest(uri: string, host: Host): Promise<Result<Manifest>> {
  const { fetchRemote } = await import("./fetch-remote.ts");
  try {
    const { bytes } = await fetchRemote(host, uri, maxFetchedBytes);
    const { leadingManifest } = await import("./leading-manifest.ts");
    return success(leadingManifest(bytes));
  } catch (error) {
    return unreadable(messageOf(error));
  }
}

/** Prints a path as Hadoop does, without escapes. */
function printPath(uri: string, path: string): string {
  const [, fragment] = uri.split("#");
  return uri.startsWith("file:") ? `file:${path}${fragment === undefined ? "" : `#${fragment}`}` : uri;
}

async function readLocalManifest(uri: string, path: string, { files }: Host): Promise<Result<Manifest>> {
  const info = files.info(path);
  if (info?.kind === "directory") return unreadable(`${path.replace(/\/$/, "")} (Is a directory)`);
  if (info?.kind !== "file") return unreadable(`File ${printPath(uri, path)} does not exist`);
  const read: ReadRange = (offset, sizeBytes) => Buffer.from(files.readRange(path, offset, sizeBytes) ?? []);
  return success(await readZipEntry({ read, sizeBytes: info.sizeBytes }, "META-INF/MANIFEST.MF"));
}

/** Reads an attribute of the main section, which ends at the first empty line. A line that starts with a space continues the previous one. The last duplicate wins. */
function attributeOf(manifest: string, name: string): string | undefined {
  const [main = ""] = manifest.replaceAll(/\r\n?/g, "\n").split("\n\n");
  const line = main
    .replaceAll("\n ", "")
    .split("\n")
    .findLast((text) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.replace(/^[^:]*: ?/, "");
}

/** Reads a range of a file; returns fewer bytes at its end. */
type ReadRange = (offset: number, sizeBytes: number) => Buffer;

interface Zip {
  readonly read: ReadRange;
  readonly sizeBytes: number;
}

const endSignature = 0x06054b50;
const endSize = 22;
const maxCommentBytes = 0xffff;
const entrySignature = 0x02014b50;
const entrySize = 46;
const headerSize = 30;

/** Reads one entry of a zip archive through the directory at its end, and nothing else. */
async function readZipEntry({ read, sizeBytes }: Zip, upperCaseName: string): Promise<Buffer | "notAZip" | undefined> {
  const tailSize = Math.min(sizeBytes, endSize + maxCommentBytes);
  const tail = read(sizeBytes - tailSize, tailSize);
  const end = findEnd(tail);
  if (end === undefined) return "notAZip";
  const directory = read(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
  let at = 0;
  for (let left = tail.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + entrySize > directory.length || directory.readUInt32LE(at) !== entrySignature) return "notAZip";
    const nameEnd = at + entrySize + directory.readUInt16LE(at + 28);
    const name = directory.toString("utf8", at + entrySize, nameEnd);
    if (name.toUpperCase() === upperCaseName) return readContent(read, directory.subarray(at));
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return undefined;
}

/** Finds the end record, which a comment can follow. */
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
