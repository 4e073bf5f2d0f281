import { messageOf } from "../../errors/message-of.ts";
import type { ReadPieces } from "./uploads.ts";

const defaultPartBytes = 8 * 1024 * 1024;
/** S3 allows 10,000 parts. The rest is reserved for the last parts of requests. */
const maxParts = 8000;

/** Returns the part size of a content; if its size is unknown, the size for the largest accepted content. */
export function partBytesFor(sizeBytes: number | undefined): number {
  return sizeBytes === undefined ? 2 * defaultPartBytes : Math.max(defaultPartBytes, Math.ceil(sizeBytes / maxParts));
}

/** Target of the incoming bytes. */
export interface Collecting {
  /** Bytes received earlier that are not part of an uploaded part. */
  readonly tail: Uint8Array;
  readonly partBytes: number;
  /** Remaining bytes including the tail; a final piece smaller than a part becomes a part. @default unlimited */
  readonly lastBytes: number | undefined;
  readonly onPiece: (piece: Uint8Array) => void;
  readonly putPart: (content: Uint8Array, isLast: boolean) => Promise<void>;
  /** Stores the bytes after the last full part. @default they become the last part */
  readonly putTail?: (content: Uint8Array) => Promise<void>;
}

/** Result of collecting parts. */
export interface Collected {
  /** Number of bytes received from this request. */
  readonly newBytes: number;
  /** Whether all received bytes are stored. */
  readonly isKept: boolean;
  /** Reason why the input ended. */
  readonly error: Error | undefined;
}

/** Assembles pieces into parts and sends each part while the next one arrives. Stores the bytes that arrived before a failure. */
export async function collectParts(
  read: ReadPieces,
  { tail, partBytes, lastBytes, onPiece, putPart, putTail }: Collecting,
): Promise<Collected> {
  let pending: Uint8Array[] = tail.length === 0 ? [] : [tail];
  let pendingBytes = tail.length;
  let newBytes = 0;
  let sentBytes = 0;
  let sending: Promise<void> = Promise.resolve();
  const send = async (content: Uint8Array, isLast: boolean) => {
    await sending;
    sentBytes += content.length;
    sending = putPart(content, isLast);
    // Prevent an unhandled rejection. The error is thrown when the next part is sent, or at the end.
    sending.catch(() => {});
  };
  const sendParts = async () => {
    while (pendingBytes >= partBytes) {
      const all = Buffer.concat(pending);
      const rest = all.subarray(partBytes);
      pending = rest.length === 0 ? [] : [rest];
      pendingBytes = rest.length;
      await send(all.subarray(0, partBytes), false);
    }
  };
  let error: Error | undefined;
  try {
    await read((piece) => {
      onPiece(piece);
      pending.push(piece);
      pendingBytes += piece.length;
      newBytes += piece.length;
      return pendingBytes < partBytes ? undefined : sendParts();
    });
  } catch (failure) {
    error = failure instanceof Error ? failure : new Error(messageOf(failure));
  }
  const left = Buffer.concat(pending);
  const isAll = lastBytes === undefined ? error === undefined : sentBytes + left.length === lastBytes;
  const isEmptyObject = sentBytes === 0 && left.length === 0 && isAll;
  if (isAll && (left.length > 0 || isEmptyObject)) await send(left, true);
  await sending;
  if (!isAll && left.length > 0 && newBytes > 0 && putTail !== undefined) await putTail(left);
  return { newBytes, isKept: putTail !== undefined || error === undefined, error };
}
