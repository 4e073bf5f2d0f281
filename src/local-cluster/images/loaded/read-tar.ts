import type { Files } from "../../../host/host.ts";

export interface TarEntry {
  /** As in the archive. */
  readonly name: string;
  /** `link`: a hard link to the earlier member `linkName`; `other`: devices and the like. */
  readonly kind: "file" | "directory" | "symlink" | "link" | "other";
  /** Permission bits. */
  readonly mode: number;
  readonly linkName: string;
  /** Must be read before the next member is requested; empty for members without content. */
  readonly content: AsyncIterable<Uint8Array>;
}

const chunkBytes = 1024 * 1024;

/**
 * Yields the members of a tar archive in order; plain, gzip or zstd.
 *
 * @throws Error when the file is not an archive, or is truncated.
 */
export async function* readTar(files: Files, path: string): AsyncGenerator<TarEntry> {
  const { createTarDecoder } = await import("modern-tar");
  const entries = ReadableStream.from(decompressed(files, path)).pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of entries) {
    const { name, type = "file", mode = 0o644, linkname: linkName = "" } = header;
    yield { name, kind: kindOf(type), mode, linkName, content: body };
  }
}

function kindOf(type: string): TarEntry["kind"] {
  return type === "file" || type === "directory" || type === "symlink" || type === "link" ? type : "other";
}

function decompressed(files: Files, path: string): AsyncIterable<Uint8Array<ArrayBuffer>> {
  const start = Buffer.from(files.readRange(path, 0, 4) ?? []).toString("hex");
  const chunks = chunksOf(files, path);
  if (start.startsWith("1f8b")) return ReadableStream.from(chunks).pipeThrough(new DecompressionStream("gzip"));
  return start === "28b52ffd" ? unzstd(chunks) : chunks;
}

async function* chunksOf(files: Files, path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let offset = 0; ; offset += chunkBytes) {
    const chunk = files.readRange(path, offset, chunkBytes);
    if (chunk === undefined) throw new Error(`${path} does not exist`);
    if (chunk.length > 0) yield new Uint8Array(chunk);
    if (chunk.length < chunkBytes) return;
  }
}

async function* unzstd(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { Decompress } = await import("fzstd");
  const ready: Uint8Array<ArrayBuffer>[] = [];
  const decompress = new Decompress((chunk) => ready.push(new Uint8Array(chunk)));
  for await (const chunk of chunks) {
    decompress.push(chunk);
    yield* ready.splice(0);
  }
  decompress.push(new Uint8Array(0), true);
  yield* ready.splice(0);
}
