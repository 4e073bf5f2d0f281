import type { Hash } from "node:crypto";
import type { TakePiece } from "../../http/message-body.ts";
import type { Digest } from "../../staging-client/bundle.ts";
import { isDigest } from "../../staging-client/bundle.ts";
import type { Blob } from "../../staging-client/protocol.ts";
import type { Awaitable } from "./awaitable.ts";

/** A content that is being uploaded. */
export interface Upload extends Blob {
  readonly uploadId: string;
  readonly namespace: string;
}

/** Uploads in progress. Acknowledged bytes survive a restart of the server. */
export interface Uploads {
  /** Creates an empty upload. */
  readonly create: (namespace: string, blob: Blob) => Promise<Upload>;
  readonly find: (uploadId: string) => Awaitable<Upload | undefined>;
  /** Number of bytes received. */
  readonly offset: (upload: Upload) => Awaitable<number>;
  /**
   * Appends bytes. Aborts an earlier writer first: its client has lost the connection, or it would not send again.
   *
   * @returns the new offset, or `isWrong` with the expected offset
   */
  readonly append: (
    upload: Upload,
    source: UploadSource,
  ) => Promise<{ readonly offset: number; readonly isWrong: boolean }>;
  /**
   * Passes the received file to `take`, synced and with its digest. Then ends the upload, even if `take` fails.
   *
   * @returns `undefined` if a concurrent request has finished the upload
   */
  readonly finish: <T>(
    upload: Upload,
    take: (file: ReceivedFile) => Promise<T>,
  ) => Promise<{ readonly taken: T } | undefined>;
  /** Ends an upload and removes its bytes. */
  readonly abort: (uploadId: string) => Awaitable<void>;
  /** Receives a content of unknown size and digest. After an error, no bytes remain. */
  readonly receive: (read: ReadPieces) => Promise<DiscardableFile>;
  /** Removes uploads that received no data for `idleMs`. Returns their number. */
  readonly sweep: (idleMs: number) => Awaitable<number>;
}

/** Passes each piece to `take`. Rejects with the reason if the input is incomplete. */
export type ReadPieces = (take: TakePiece) => Promise<void>;

/** Source of the bytes. */
export interface UploadSource {
  /** Offset of the first byte. */
  readonly offset: number;
  readonly read: ReadPieces;
  /** Aborts the request that sends the bytes. */
  readonly cut: () => void;
}

/** A file that the caller must discard in any case. A file that was adopted as a content stays. */
export interface DiscardableFile extends ReceivedFile {
  readonly discard: () => Awaitable<void>;
}

/** A received file with its digest, not yet a content. */
export interface ReceivedFile extends Blob {
  readonly path: string;
}

/** Finishes a hash. Returns its digest. */
export function digestOf(hash: Hash): Digest {
  const digest = `sha256:${hash.digest("hex")}`;
  if (!isDigest(digest)) throw new Error("invalid SHA-256 digest");
  return digest;
}
