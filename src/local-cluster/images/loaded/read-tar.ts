import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Files } from "../../../host/host.ts";
import type { UnpackBudget } from "./unpack-budget.ts";

export interface TarEntry {
  /** As in the archive. */
  readonly name: string;
  /** `link`: a hard link to the earlier member `linkName`; `other`: devices and the like. */
  readonly kind: "file" | "directory" | "symlink" | "link" | "other";
  /** Permission bits. */
  readonly mode: number;
  /** Time of the last change, in ms since 1970; `undefined` if the archive has none. */
  readonly modifiedMs: number | undefined;
  readonly linkName: string;
  /** Must be read before the next member is requested; empty for members without content. */
  readonly content: AsyncIterable<Uint8Array>;
}

const chunkBytes = 1024 * 1024;

/**
 * Yields the members of a tar archive in order; plain, gzip or zstd.
 *
 * @throws Error when the file is not an archive, is truncated, has a sparse file of pax, or exceeds the budget.
 */
export async function* readTar(files: Files, path: string, budget: UnpackBudget): AsyncGenerator<TarEntry> {
  const { createTarDecoder } = await import("modern-tar");
  const entries = ReadableStream.from(decompressed(files, path, budget)).pipeThrough(
    createTarDecoder({ strict: true }),
  );
  for await (const { header, body } of entries) {
    const { name, type = "file", mode = 0o644, linkname: linkName = "", mtime, pax = {} } = header;
    if (Object.keys(pax).some((key) => key.startsWith("GNU.sparse."))) throw new Error(`${name} is a sparse file`);
    const time = mtime?.getTime() ?? Number.NaN;
    const modifiedMs = Number.isNaN(time) ? undefined : time;
    yield { name, kind: kindOf(type), mode, modifiedMs, linkName, content: body };
  }
}

function kindOf(type: string): TarEntry["kind"] {
  return type === "file" || type === "directory" || type === "symlink" || type === "link" ? type : "other";
}

function decompressed(files: Files, path: string, budget: UnpackBudget): AsyncIterable<Uint8Array<ArrayBuffer>> {
  const start = files.readRange(path, 0, 6) ?? new Uint8Array();
  const magic = Buffer.from(start.subarray(0, 4)).toString("hex");
  const chunks = chunksOf(files, path);
  if (magic.startsWith("1f8b")) return counted(gunzip(chunks), budget);
  if (magic !== "28b52ffd") return counted(chunks, budget);
  rejectLargeWindow(start);
  return unzstd(chunks, budget);
}

async function* counted(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>, budget: UnpackBudget) {
  for await (const chunk of chunks) {
    budget(chunk.length);
    yield chunk;
  }
}

/** Unpacks all gzip members. `DecompressionStream` rejects a second member from Node 24 on. */
async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const unpacked = createGunzip();
  // The loop throws the error.
  pipeline(chunks, unpacked, () => {});
  for await (const chunk of unpacked) yield new Uint8Array(chunk);
}

/** Limit of the zstd program without `--long`, which sizes its memory. Source: ZSTD_WINDOWLOG_LIMIT_DEFAULT. */
const maxWindowExponent = 27;

/** Rejects a zstd frame with a window of more than 128 MiB. Source: RFC 8878, section 3.1.1.1. */
function rejectLargeWindow([, , , , flags = 0, window = 0]: Uint8Array): void {
  const hasWindow = (flags & 0x20) === 0;
  const exponent = 10 + (window >> 3);
  if (hasWindow && (exponent > maxWindowExponent || (exponent === maxWindowExponent && (window & 7) !== 0)))
    throw new Error("its zstd window is larger than 128 MiB; compress it without --long or --ultra");
}

async function* chunksOf(files: Files, path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let offset = 0; ; offset += chunkBytes) {
    const chunk = files.readRange(path, offset, chunkBytes);
    if (chunk === undefined) throw new Error(`${path} does not exist`);
    if (chunk.length > 0) yield new Uint8Array(chunk);
    if (chunk.length < chunkBytes) return;
  }
}

async function* unzstd(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>, budget: UnpackBudget) {
  const { Decompress } = await import("fzstd");
  const ready: Uint8Array<ArrayBuffer>[] = [];
  const decompress = new Decompress((chunk) => {
    // Here, because one chunk can contain blocks that unpack to gigabytes.
    budget(chunk.length);
    ready.push(new Uint8Array(chunk));
  });
  for await (const chunk of chunks) {
    decompress.push(chunk);
    yield* ready.splice(0);
  }
  decompress.push(new Uint8Array(0), true);
  yield* ready.splice(0);
}
