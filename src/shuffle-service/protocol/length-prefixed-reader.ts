import { MalformedMessage } from "./malformed-message.ts";

const prefixBytes = 8;
const minCapacityBytes = 4096;
const noBytes = Buffer.alloc(0);

/**
 * Splits a stream of bytes into messages of the form: int64 length, which counts itself, then the content.
 *
 * Frames, encrypted SASL blocks and AES/GCM messages have this form. Memory grows with the bytes that have arrived, not with the
 * announced length, and not with the number of pieces in which they arrive.
 */
export class LengthPrefixedReader {
  /** Largest content in bytes. */
  maxBytes: number;
  /** Bytes that have arrived and do not belong to a returned message. */
  #pending: Buffer = noBytes;
  #pendingBytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Number of bytes that wait for the rest of their message. */
  pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Adds the next piece of the stream. */
  push(piece: Buffer): void {
    if (this.#pendingBytes === 0) {
      this.#pending = piece;
      this.#pendingBytes = piece.length;
      return;
    }
    const needed = this.#pendingBytes + piece.length;
    if (needed > this.#pending.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(minCapacityBytes, needed + (needed >> 1)));
      this.#pending.copy(grown, 0, 0, this.#pendingBytes);
      this.#pending = grown;
    }
    piece.copy(this.#pending, this.#pendingBytes);
    this.#pendingBytes = needed;
  }

  /**
   * Returns the content of the next complete message; `undefined` if it is incomplete.
   *
   * @throws MalformedMessage if the length is not allowed
   */
  next(): Buffer | undefined {
    if (this.#pendingBytes < prefixBytes) return undefined;
    const contentBytes = this.#pending.readBigInt64BE(0) - BigInt(prefixBytes);
    if (contentBytes <= 0n) throw new MalformedMessage(`Frame length should be positive: ${contentBytes}`);
    if (contentBytes > BigInt(this.maxBytes)) throw new MalformedMessage(`Too large frame: ${contentBytes}`);
    const end = prefixBytes + Number(contentBytes);
    if (this.#pendingBytes < end) return undefined;
    const content = this.#pending.subarray(prefixBytes, end);
    this.#pendingBytes -= end;
    this.#pending = this.#pendingBytes === 0 ? noBytes : this.#pending.subarray(end);
    return content;
  }

  /** Removes and returns the bytes that do not belong to a returned message. */
  takePending(): Buffer {
    const rest = this.#pending.subarray(0, this.#pendingBytes);
    this.#pendingBytes = 0;
    this.#pending = noBytes;
    return rest;
  }
}
