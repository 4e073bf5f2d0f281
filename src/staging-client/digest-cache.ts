import { createHash } from "node:crypto";
import { isSubmitError, messageOf, type SubmitError, submitError } from "../errors/submit-error.ts";
import { fileChunks } from "../host/file-chunks.ts";
import type { FileInfo, Host } from "../host/host.ts";
import { isFields } from "../values/fields.ts";
import { type Digest, isDigest } from "./bundle.ts";

/** Properties of a local file that a bundle contains. */
interface DigestedFile {
  readonly digest: Digest;
  /** In bytes. */
  readonly size: number;
  readonly executable: boolean;
}

interface DigestCache {
  /** @throws SUBMIT_ERR_FILE_UNREADABLE, SUBMIT_ERR_STAGED_FILE_CHANGED; the reason of `signal` */
  readonly digestOf: (path: string, options?: DigestOptions) => Promise<DigestedFile>;
  /** Stores the computed digests for later submissions. Never fails. */
  readonly save: () => void;
}

interface DigestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Receives the size of each chunk read, in bytes; not called for a cached digest. */
  readonly onRead?: (bytes: number) => void;
}

/** File state for which a digest was computed. If any field differs, the content may differ. */
interface CachedDigest {
  readonly size: number;
  readonly modifiedMs: number;
  readonly inode: number;
  readonly digest: Digest;
}

/** Granularity of file times: two writes within it may leave the same modification time. */
const timestampGranularityMs = 2000;
const maxDigests = 5000;

/** Caches digests by path, size, time and inode in `digests.json` of a directory. */
export function digestCache(host: Host, directory: string): DigestCache {
  const path = `${directory}/digests.json`;
  const known = readKnown(host, path);
  let isChanged = false;
  return {
    async digestOf(requestedPath, options = {}) {
      const before = readInfo(host, requestedPath);
      const real = host.files.realPath(requestedPath) ?? requestedPath;
      const cached = known.get(real);
      const digest = isCurrent(cached, before) ? cached.digest : await compute(host, requestedPath, before, options);
      const file = { digest, size: before.sizeBytes, executable: (before.mode & 0o111) !== 0 };
      if (isCurrent(cached, before) || host.clock.now() - before.modifiedMs < timestampGranularityMs) return file;
      // Move it to the end: the oldest entries are dropped first.
      known.delete(real);
      known.set(real, { digest, size: before.sizeBytes, modifiedMs: before.modifiedMs, inode: before.inode });
      isChanged = true;
      return file;
    },
    save() {
      if (!isChanged) return;
      isChanged = false;
      save(host, path, known);
    },
  };
}

function readInfo({ files }: Host, path: string): FileInfo {
  let info: FileInfo | undefined;
  try {
    info = files.info(path);
  } catch (error) {
    throw unreadable(path, messageOf(error));
  }
  if (info?.kind === "file") return info;
  throw unreadable(path, info === undefined ? "it does not exist" : "it is not a file");
}

function unreadable(path: string, reason: string): SubmitError {
  return submitError("SUBMIT_ERR_FILE_UNREADABLE", { what: "The file to send", path, reason });
}

function isCurrent(cached: CachedDigest | undefined, info: FileInfo): cached is CachedDigest {
  return cached?.size === info.sizeBytes && cached.modifiedMs === info.modifiedMs && cached.inode === info.inode;
}

async function compute(
  host: Host,
  path: string,
  { sizeBytes: size, modifiedMs }: FileInfo,
  { signal, onRead }: DigestOptions,
): Promise<Digest> {
  const hash = createHash("sha256");
  for await (const chunk of readable(path, fileChunks(host.files, { path, offset: 0, size }))) {
    hash.update(chunk);
    onRead?.(chunk.length);
    // Yield to the event loop between chunks: otherwise a stop signal would not be handled while reading.
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
  const after = readInfo(host, path);
  if (after.sizeBytes !== size || after.modifiedMs !== modifiedMs)
    throw submitError("SUBMIT_ERR_STAGED_FILE_CHANGED", { path });
  return `sha256:${hash.digest("hex")}`;
}

async function* readable(path: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (isSubmitError(error)) throw error;
    throw unreadable(path, messageOf(error));
  }
}

function readKnown({ files }: Host, path: string): Map<string, CachedDigest> {
  const known = new Map<string, CachedDigest>();
  try {
    const value: unknown = JSON.parse(files.readText(path) ?? "{}");
    for (const [name, entry] of Object.entries(isFields(value) ? value : {})) {
      if (isCachedDigest(entry)) known.set(name, entry);
    }
  } catch {
    // Without a cache, every digest is computed again.
  }
  return known;
}

function isCachedDigest(value: unknown): value is CachedDigest {
  return (
    isFields(value) &&
    typeof value["digest"] === "string" &&
    isDigest(value["digest"]) &&
    ["size", "modifiedMs", "inode"].every((key) => typeof value[key] === "number")
  );
}

function save({ files, pid }: Host, path: string, known: ReadonlyMap<string, CachedDigest>): void {
  const kept = Object.fromEntries([...known].slice(-maxDigests));
  const temporary = `${path}.${pid}`;
  try {
    files.makeDirectory(path.slice(0, path.lastIndexOf("/")), { mode: 0o700 });
    files.write(temporary, JSON.stringify(kept), { mode: 0o600 });
    files.rename(temporary, path);
  } catch {
    // The next submission computes them again.
  }
}
