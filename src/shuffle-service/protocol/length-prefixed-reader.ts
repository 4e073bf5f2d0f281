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
  /** Has the bytes that have arrived and do not belong to a returned message, from `#start` on. */
  #pending: Buffer = noBytes;
  #start = 0;
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
      this.#start = 0;
      this.#pendingBytes = piece.length;
      return;
    }
    const needed = this.#pendingBytes + piece.length;
    if (this.#start + needed > this.#pending.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(minCapacityBytes, needed + (needed >> 1)));
      this.#pending.copy(grown, 0, this.#start, this.#start + this.#pendingBytes);
      this.#pending = grown;
      this.#start = 0;
    }
    piece.copy(this.#pending, this.#start + this.#pendingBytes);
    this.#pendingBytes = needed;
  }

  /**
   * Returns the content of the next complete message; `undefined` if it is incomplete.
   *
   * @throws MalformedMessage if the length is not allowed
   */
  next(): Buffer | undefined {
    if (this.#pendingBytes < prefixBytes) return undefined;
    const contentBytes = this.#pending.readBigInt64BE(this.#start) - BigInt(prefixBytes);
    if (contentBytes <= 0n) throw new MalformedMessage(`Frame length should be positive: ${contentBytes}`);
    if (contentBytes > BigInt(this.maxBytes)) throw new MalformedMessage(`Too large frame: ${contentBytes}`);
    const frameBytes = prefixBytes + Number(contentBytes);
    if (this.#pendingBytes < frameBytes) return undefined;
    const content = this.#pending.subarray(this.#start + prefixBytes, this.#start + frameBytes);
    this.#pendingBytes -= frameBytes;
    this.#start += frameBytes;
    if (this.#pendingBytes === 0) this.#pending = noBytes;
    return content;
  }

  /** Removes and returns the bytes that do not belong to a returned message. */
  takePending(): Buffer {
    const rest = this.#pending.subarray(this.#start, this.#start + this.#pendingBytes);
    this.#pendingBytes = 0;
    this.#pending = noBytes;
    return rest;
  }
}
