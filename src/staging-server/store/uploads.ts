import { createHash, type Hash } from "node:crypto";
import * as v from "valibot";
import type { ContentWriter } from "../../host/content-files.ts";
import type { TakePiece } from "../../http/message-body.ts";
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
  readonly receive: (read: ReadPieces) => Promise<DiscardableFile>;
  /** Removes what nobody has gone on with for so long. @returns how many */
  readonly sweep: (idleMs: number) => Soon<number>;
}

/** Hands over piece after piece; ends when all have come, or with why they have not. */
export type ReadPieces = (take: TakePiece) => Promise<void>;

/** Where bytes come from. */
export interface UploadSource {
  /** Of the first of them. */
  readonly offset: number;
  readonly read: ReadPieces;
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
  /** The disk has it. */
  isSynced: boolean;
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
  const dataOf = (uploadId: string) => `${layout.upload(uploadId)}.data`;
  const metaOf = (uploadId: string) => `${layout.upload(uploadId)}.json`;
  const offset = ({ uploadId }: Upload) => files.info(dataOf(uploadId))?.sizeBytes ?? 0;

  const abandon = async (uploadId: string) => {
    running.get(uploadId)?.cut();
    hashed.delete(uploadId);
    await Promise.all([contents.remove(metaOf(uploadId)), contents.remove(dataOf(uploadId))]);
  };

  const write = async ({ uploadId, size }: Upload, read: ReadPieces) => {
    const writer = await contents.openWriter(dataOf(uploadId));
    const known = hashed.get(uploadId);
    const start: Progress = { hash: createHash("sha256"), sizeBytes: 0, isSynced: false };
    const progress =
      known?.sizeBytes === writer.sizeBytes() ? known : writer.sizeBytes() === 0 ? start : undefined;
    hashed.delete(uploadId);
    try {
      await writeAll(writer, read, progress);
      // Who sends the last byte asks for the whole next: a file that is open already takes fewer steps.
      if (progress !== undefined && writer.sizeBytes() === size) {
        await writer.sync();
        progress.isSynced = true;
      }
    } finally {
      if (progress?.sizeBytes === writer.sizeBytes()) hashed.set(uploadId, progress);
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
    const meta = v.safeParse(metaShape, parseJson(files.readText(metaOf(uploadId))));
    return meta.success ? meta.output : undefined;
  };

  const handOver = async <T>(upload: Upload, take: (file: ReceivedFile) => Promise<T>) => {
    const { uploadId } = upload;
    await cutOff(uploadId);
    if (find(uploadId) === undefined) return undefined;
    try {
      const path = dataOf(uploadId);
      const known = hashed.get(uploadId);
      const size = known?.isSynced === true ? offset(upload) : await syncNow(path);
      const isKnown = known?.sizeBytes === size;
      const digest = isKnown ? digestOf(known.hash.copy()) : await digestOfFile(contents, path);
      return { taken: await take({ path, size, digest }) };
    } finally {
      await abandon(uploadId);
    }
  };

  const syncNow = async (path: string) => {
    const writer = await contents.openWriter(path);
    try {
      await writer.sync();
    } finally {
      await writer.close();
    }
    return writer.sizeBytes();
  };

  return {
    async begin(namespace, blob) {
      const upload = { uploadId: random.uuid(), namespace, digest: blob.digest, size: blob.size };
      // Not yet on the disk, as its bytes are not: who goes on with it after the machine has failed begins anew.
      await contents.write(metaOf(upload.uploadId), JSON.stringify(upload));
      return upload;
    },
    find,
    offset,
    async append(upload, source) {
      const { uploadId } = upload;
      await cutOff(uploadId);
      if (offset(upload) !== source.offset) return { offset: offset(upload), isWrong: true };
      const writing = write(upload, source.read);
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
    async receive(read) {
      const path = dataOf(random.uuid());
      const progress: Progress = { hash: createHash("sha256"), sizeBytes: 0, isSynced: false };
      const discard = () => contents.remove(path);
      try {
        const writer = await contents.openWriter(path);
        try {
          await writeAll(writer, read, progress);
          await writer.sync();
        } finally {
          await writer.close();
        }
      } catch (error) {
        await discard();
        throw error;
      }
      return { path, size: progress.sizeBytes, digest: digestOf(progress.hash), discard };
    },
    async sweep(idleMs) {
      const changedMs = (path: string) => files.info(path)?.modifiedMs ?? 0;
      const isIdle = (uploadId: string) =>
        !running.has(uploadId) &&
        Math.max(changedMs(dataOf(uploadId)), changedMs(metaOf(uploadId))) <= clock.now() - idleMs;
      const names = await contents.list(layout.uploads);
      const idle = [...new Set(names.map((name) => name.replace(/\..*/, "")))].filter(isIdle);
      for (const uploadId of idle) await abandon(uploadId);
      return idle.length;
    },
  };
}

async function writeAll(
  writer: ContentWriter,
  read: ReadPieces,
  progress: Progress | undefined,
): Promise<void> {
  try {
    await read((piece) => {
      const taken = writer.append(piece);
      // While the disk works. What could not be written makes this the hash of more than is there: it is not gone on with.
      progress?.hash.update(piece);
      if (progress !== undefined) progress.sizeBytes += piece.length;
      return taken;
    });
  } finally {
    await writer.flush();
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
