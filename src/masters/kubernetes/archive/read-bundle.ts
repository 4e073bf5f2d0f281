import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { messageOf, submitError } from "../../../errors/submit-error.ts";
import type { Files } from "../../../host/host.ts";
import { isFields } from "../../../values/fields.ts";
import { bundleFiles, bundleVersion } from "./bundle-manifest.ts";

/** Limit of the two files that a diagnosis reads. */
const maxFileBytes = 256 * 1024 * 1024;
/** Limit of all files before them: an archive of a megabyte can unpack to gigabytes. */
const maxUnpackedBytes = 1024 * 1024 * 1024;
const chunkBytes = 1024 * 1024;

/** Whether an argument is the path of a bundle, and not an ID: those have no slash, and do not end like an archive. */
export function isBundlePath(files: Files, text: string): boolean {
  return (
    text.includes("/") || /\.(tar\.gz|tgz)$/.test(text) || files.info(`${text}/${bundleFiles.manifest}`) !== undefined
  );
}

/**
 * Reads the record of a bundle, an archive or a directory with its files.
 *
 * @throws SUBMIT_ERR_BUNDLE
 */
export async function readBundleRecord(files: Files, path: string): Promise<string> {
  const read = await readFiles(files, path).catch((error: unknown) => {
    throw submitError("SUBMIT_ERR_BUNDLE", { path, reason: messageOf(error) }, { cause: error });
  });
  const [manifest, record] = [read.get(bundleFiles.manifest), read.get(bundleFiles.record)];
  const invalid = (reason: string) => submitError("SUBMIT_ERR_BUNDLE", { path, reason });
  if (manifest === undefined) throw invalid(`it has no file ${bundleFiles.manifest}`);
  const version = versionOf(manifest);
  if (version === undefined) throw invalid(`${bundleFiles.manifest} has no version`);
  if (version > bundleVersion) throw invalid(`its version is ${version}, and this program knows ${bundleVersion}`);
  if (record === undefined) throw invalid(`it has no file ${bundleFiles.record}`);
  return record;
}

function versionOf(manifest: string): number | undefined {
  try {
    const json: unknown = JSON.parse(manifest);
    return isFields(json) && typeof json["version"] === "number" ? json["version"] : undefined;
  } catch {
    return undefined;
  }
}

const readNames: readonly string[] = [bundleFiles.manifest, bundleFiles.record];

async function readFiles(files: Files, path: string): Promise<ReadonlyMap<string, string>> {
  const kind = files.info(path)?.kind;
  if (kind === undefined) throw new Error("the file does not exist");
  if (kind !== "directory") return readArchive(files, path);
  const found = readNames.flatMap((name) => {
    const text = files.readText(`${path}/${name}`);
    return text === undefined ? [] : [[name, text] as const];
  });
  return new Map(found);
}

async function readArchive(files: Files, path: string): Promise<ReadonlyMap<string, string>> {
  const { createTarDecoder } = await import("modern-tar");
  const found = new Map<string, string>();
  const entries = ReadableStream.from(unpacked(files, path)).pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of entries) {
    const name = header.name.replace(/^(\.\/)+/, "");
    if (!readNames.includes(name)) {
      await body.cancel();
      continue;
    }
    if (header.size > maxFileBytes) throw new Error(`${name} is larger than 256 MiB`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    found.set(name, Buffer.concat(chunks).toString("utf8"));
    if (found.size === readNames.length) break;
  }
  return found;
}

async function* unpacked(files: Files, path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const stream = createGunzip();
  // The loop throws the error.
  pipeline(chunksOf(files, path), stream, () => {});
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxUnpackedBytes) throw new Error(`${bundleFiles.record} is not in its first GiB`);
    yield new Uint8Array(chunk);
  }
}

function* chunksOf(files: Files, path: string): Generator<Uint8Array> {
  for (let offset = 0; ; offset += chunkBytes) {
    const chunk = files.readRange(path, offset, chunkBytes) ?? new Uint8Array();
    if (chunk.length > 0) yield chunk;
    if (chunk.length < chunkBytes) return;
  }
}
