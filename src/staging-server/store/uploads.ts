import type { Hash } from "node:crypto";
import type { TakePiece } from "../../http/message-body.ts";
import type { Digest } from "../../staging-client/bundle.ts";
import { isDigest } from "../../staging-client/bundle.ts";
import type { Blob } from "../../staging-client/protocol.ts";
import type { Awaitable } from "./awaitable.ts";

/** A content that is on its way. */
export interface Upload extends Blob {
  readonly uploadId: string;
  readonly namespace: string;
}

/** Contents on their way: what has been acknowledged outlives this process. */
export interface Uploads {
  readonly begin: (namespace: string, blob: Blob) => Promise<Upload>;
  readonly find: (uploadId: string) => Awaitable<Upload | undefined>;
  /** Number of bytes received. */
  readonly offset: (upload: Upload) => Awaitable<number>;
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
  readonly abandon: (uploadId: string) => Awaitable<void>;
  /** Takes a content of which nothing is known beforehand; nothing is left of it when that fails. */
  readonly receive: (read: ReadPieces) => Promise<DiscardableFile>;
  /** Removes what nobody has gone on with for so long. @returns how many */
  readonly sweep: (idleMs: number) => Awaitable<number>;
}

/** Hands over piece after piece; ends when all have come, or with why they have not. */
export type ReadPieces = (take: TakePiece) => Promise<void>;

/** Source of the bytes. */
export interface UploadSource {
  /** Of the first of them. */
  readonly offset: number;
  readonly read: ReadPieces;
  /** Ends the request that they come with. */
  readonly cut: () => void;
}

/** Discard it in any case: what became a content meanwhile stays. */
export interface DiscardableFile extends ReceivedFile {
  readonly discard: () => Awaitable<void>;
}

/** A file of known content that is not yet in its place. */
export interface ReceivedFile extends Blob {
  readonly path: string;
}

/** Returns the digest of a finished hash. */
export function digestOf(hash: Hash): Digest {
  const digest = `sha256:${hash.digest("hex")}`;
  if (!isDigest(digest)) throw new Error("a SHA-256 is no digest");
  return digest;
}
