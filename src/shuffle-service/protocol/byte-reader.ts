import { MalformedMessage } from "./malformed-message.ts";

/** Lists of integers, one after the other. */
export interface Int32Lists {
  readonly values: Int32Array;
  /** By list: the index after its last value. */
  readonly ends: Int32Array;
}

/** Largest number of items in an array, so that many empty items do not exhaust the memory. */
const maxItems = 1_000_000;

/** Reads the fields of a message. Each length and count is checked against the remaining bytes before anything is allocated. */
export class ByteReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  remaining(): number {
    return this.#bytes.length - this.#position;
  }

  uint8(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#take(8));
  }

  boolean(): boolean {
    return this.uint8() !== 0;
  }

  /** Reads a length and that many bytes, which share the memory of the message. */
  bytes(): Buffer {
    const sizeBytes = this.#count(1);
    const start = this.#take(sizeBytes);
    return this.#bytes.subarray(start, start + sizeBytes);
  }

  string(): string {
    return this.bytes().toString("utf8");
  }

  strings(): readonly string[] {
    // The smallest string has 4 bytes.
    return Array.from({ length: this.#count(4) }, () => this.string());
  }

  int32s(): Int32Array {
    const count = this.#count(4);
    const start = this.#take(count * 4);
    return Int32Array.from({ length: count }, (_, index) => this.#bytes.readInt32BE(start + index * 4));
  }

  int64s(): BigInt64Array {
    const count = this.#count(8);
    const start = this.#take(count * 8);
    return BigInt64Array.from({ length: count }, (_, index) => this.#bytes.readBigInt64BE(start + index * 8));
  }

  int32Lists(): Int32Lists {
    const ends = new Int32Array(this.#count(4));
    const start = this.#position;
    let values = 0;
    for (let list = 0; list < ends.length; list += 1) {
      const count = this.#count(4);
      this.#take(count * 4);
      values += count;
      ends[list] = values;
    }
    this.#position = start;
    return { values: this.#joinedInt32s(ends), ends };
  }

  #joinedInt32s(ends: Int32Array): Int32Array {
    const values = new Int32Array(ends.at(-1) ?? 0);
    let filled = 0;
    for (const end of ends) {
      this.#take(4);
      for (; filled < end; filled += 1) values[filled] = this.int32();
    }
    return values;
  }

  /** Returns the rest of the message, which shares its memory. */
  rest(): Buffer {
    return this.#bytes.subarray(this.#take(this.remaining()));
  }

  #count(itemBytes: number): number {
    const count = this.int32();
    if (count >= 0 && count * itemBytes <= this.remaining() && (itemBytes === 1 || count <= maxItems)) return count;
    throw new MalformedMessage(`Invalid length ${count}: ${this.remaining()} bytes remain.`);
  }

  #take(sizeBytes: number): number {
    if (sizeBytes > this.remaining()) {
      throw new MalformedMessage(`The message ends early: ${sizeBytes} bytes expected, ${this.remaining()} remain.`);
    }
    const start = this.#position;
    this.#position += sizeBytes;
    return start;
  }
}
