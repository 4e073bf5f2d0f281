import { createHash, type Hash } from "node:crypto";
import * as v from "valibot";
import type { ContentWriter } from "../../host/content-files.ts";
import type { Digest } from "../../staging-client/bundle.ts";
import { isDigest } from "../../staging-client/bundle.ts";
import type { Blob } from "../../staging-client/protocol.ts";
import { digestShape, parseJson, sizeShape } from "./bundle-record.ts";
import type { StoreScope } from "./bundles.ts";
import { isId } from "./layout.ts";
import type { Soon } from "./soon.ts";

/** A content that is on its way. */
export interface Upload extends Blob {
  readonly uploadId: string;
  readonly namespace: string;
}

/** Contents on their way: what has been acknowledged outlives this process. */
export interface Uploads {
  readonly begin: (namespace: string, blob: Blob) => Promise<Upload>;
  readonly find: (uploadId: string) => Soon<Upload | undefined>;
  /** How many bytes are there. */
  readonly offset: (upload: Upload) => Soon<number>;
  /**
   * Writes on. Whoever wrote before is cut off first: he has lost his connection, or he would not be asked to go on.
   *
   * @returns the new offset, or `wrongOffset` with the right one
   */
  readonly append: (
    upload: Upload,
    source: UploadSource,
  ) => Promise<{ readonly offset: number; readonly isWrong: boolean }>;
  /**
   * Hands over what has come, with its digest and on the disk; the upload is over then, whatever comes of that.
   *
   * @returns `undefined` when somebody else has finished it meanwhile
   */
  readonly finish: <T>(
    upload: Upload,
    take: (file: ReceivedFile) => Promise<T>,
  ) => Promise<{ readonly taken: T } | undefined>;
  readonly abandon: (uploadId: string) => Soon<void>;
  /** Takes a content of which nothing is known beforehand; nothing is left of it when that fails. */
  readonly receive: (pieces: AsyncIterable<Uint8Array>) => Promise<DiscardableFile>;
  /** Removes what nobody has gone on with for so long. @returns how many */
  readonly sweep: (idleMs: number) => Soon<number>;
}

/** Where bytes come from. */
export interface UploadSource {
  /** Of the first of them. */
  readonly offset: number;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Ends the request that they come with. */
  readonly cut: () => void;
}

/** Discard it in any case: what became a content meanwhile stays. */
export interface DiscardableFile extends ReceivedFile {
  readonly discard: () => Soon<void>;
}

/** A file of known content that is not yet in its place. */
export interface ReceivedFile extends Blob {
  readonly path: string;
}

interface Running {
  readonly cut: () => void;
  readonly done: Promise<unknown>;
}

interface Progress {
  readonly hash: Hash;
  sizeBytes: number;
}

const metaShape = v.object({
  uploadId: v.string(),
  namespace: v.string(),
  digest: digestShape,
  size: sizeShape,
});

/** The uploads of a store on a disk. */
export function openUploads({ host, contents, layout }: StoreScope): Uploads {
  const { files, clock, random } = host;
  const running = new Map<string, Running>();
  const finishing = new Map<string, Promise<void>>();
  const hashed = new Map<string, Progress>();
  const dataOf = (uploadId: string) => `${layout.upload(uploadId)}/data`;
  const offset = ({ uploadId }: Upload) => files.info(dataOf(uploadId))?.sizeBytes ?? 0;

  const abandon = (uploadId: string) => {
    running.get(uploadId)?.cut();
    hashed.delete(uploadId);
    files.remove(layout.upload(uploadId));
  };

  const write = async (upload: Upload, pieces: AsyncIterable<Uint8Array>) => {
    const { uploadId } = upload;
    const writer = await contents.openWriter(dataOf(uploadId));
    const known = hashed.get(uploadId);
    const start = { hash: createHash("sha256"), sizeBytes: 0 };
    const progress =
      known?.sizeBytes === writer.sizeBytes() ? known : writer.sizeBytes() === 0 ? start : undefined;
    hashed.delete(uploadId);
    try {
      await writeAll(writer, pieces, progress);
      if (progress !== undefined) hashed.set(uploadId, progress);
    } catch (error) {
      if (progress?.sizeBytes === writer.sizeBytes()) hashed.set(uploadId, progress);
      throw error;
    } finally {
      await writer.close();
    }
    return writer.sizeBytes();
  };

  const cutOff = async (uploadId: string) => {
    for (let last = running.get(uploadId); last !== undefined; last = running.get(uploadId)) {
      last.cut();
      await last.done;
    }
  };

  const find = (uploadId: string) => {
    if (!isId(uploadId)) return undefined;
    const meta = v.safeParse(metaShape, parseJson(files.readText(`${layout.upload(uploadId)}/meta.json`)));
    return meta.success ? meta.output : undefined;
  };

  const handOver = async <T>(upload: Upload, take: (file: ReceivedFile) => Promise<T>) => {
    const { uploadId } = upload;
    await cutOff(uploadId);
    if (find(uploadId) === undefined) return undefined;
    try {
      const path = dataOf(uploadId);
      const writer = await contents.openWriter(path);
      try {
        await writer.sync();
      } finally {
        await writer.close();
      }
      const size = writer.sizeBytes();
      const known = hashed.get(uploadId);
      const isKnown = known?.sizeBytes === size;
      const digest = isKnown ? digestOf(known.hash.copy()) : await digestOfFile(contents, path);
      return { taken: await take({ path, size, digest }) };
    } finally {
      abandon(uploadId);
    }
  };

  return {
    async begin(namespace, blob) {
      const upload = { uploadId: random.uuid(), namespace, digest: blob.digest, size: blob.size };
      files.makeDirectory(layout.upload(upload.uploadId), { mode: 0o700 });
      // Not yet on the disk, as its bytes are not: who goes on with it after the machine has failed begins anew.
      files.write(`${layout.upload(upload.uploadId)}/meta.json`, JSON.stringify(upload), { mode: 0o600 });
      return upload;
    },
    find,
    offset,
    async append(upload, source) {
      const { uploadId } = upload;
      await cutOff(uploadId);
      if (offset(upload) !== source.offset) return { offset: offset(upload), isWrong: true };
      const writing = write(upload, source.pieces);
      const done = writing.catch(() => {});
      running.set(uploadId, { cut: source.cut, done });
      try {
        return { offset: await writing, isWrong: false };
      } finally {
        running.delete(uploadId);
      }
    },
    async finish(upload, take) {
      const { uploadId } = upload;
      // Who asks a second time has lost the answer to the first.
      for (let last = finishing.get(uploadId); last !== undefined; last = finishing.get(uploadId)) await last;
      const work = handOver(upload, take);
      const done = work.then(
        () => {},
        () => {},
      );
      finishing.set(uploadId, done);
      try {
        return await work;
      } finally {
        finishing.delete(uploadId);
      }
    },
    abandon,
    async receive(pieces) {
      const uploadId = random.uuid();
      files.makeDirectory(layout.upload(uploadId), { mode: 0o700 });
      const progress: Progress = { hash: createHash("sha256"), sizeBytes: 0 };
      const discard = () => files.remove(layout.upload(uploadId));
      try {
        const writer = await contents.openWriter(dataOf(uploadId));
        try {
          await writeAll(writer, pieces, progress);
          await writer.sync();
        } finally {
          await writer.close();
        }
      } catch (error) {
        discard();
        throw error;
      }
      return { path: dataOf(uploadId), size: progress.sizeBytes, digest: digestOf(progress.hash), discard };
    },
    sweep(idleMs) {
      const isIdle = (uploadId: string) => {
        const changed = [dataOf(uploadId), layout.upload(uploadId)].map(
          (path) => files.info(path)?.modifiedMs ?? 0,
        );
        return !running.has(uploadId) && Math.max(...changed) <= clock.now() - idleMs;
      };
      const idle = (files.list(layout.uploads) ?? []).filter(isIdle);
      for (const uploadId of idle) abandon(uploadId);
      return idle.length;
    },
  };
}

async function writeAll(
  writer: ContentWriter,
  pieces: AsyncIterable<Uint8Array>,
  progress: Progress | undefined,
): Promise<void> {
  for await (const piece of pieces) {
    const written = writer.append(piece);
    // While the disk works. What could not be written makes this the hash of more than is there: it is not gone on with.
    progress?.hash.update(piece);
    if (progress !== undefined) progress.sizeBytes += piece.length;
    await written;
  }
}

const readBytes = 1024 * 1024;

async function digestOfFile(contents: StoreScope["contents"], path: string): Promise<Digest> {
  const hash = createHash("sha256");
  const reader = await contents.openReader(path);
  try {
    for (let offset = 0; reader !== undefined && offset < reader.sizeBytes; offset += readBytes) {
      hash.update(await reader.read(offset, readBytes));
    }
  } finally {
    await reader?.close();
  }
  return digestOf(hash);
}

/** What a finished hash says. */
export function digestOf(hash: Hash): Digest {
  const digest = `sha256:${hash.digest("hex")}`;
  if (!isDigest(digest)) throw new Error("a SHA-256 is no digest");
  return digest;
}
