/** Encodes an unsigned byte. */
export function uint8(value: number): Buffer {
  return Buffer.from([value]);
}

/** Encodes a big-endian signed integer. */
export function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Encodes a big-endian signed integer. */
export function int64(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** Encodes a length and the bytes. */
export function sizedBytes(value: Uint8Array): Buffer {
  return Buffer.concat([int32(value.length), value]);
}

/** Encodes a length in bytes and the text as UTF-8. */
export function string(text: string): Buffer {
  return sizedBytes(Buffer.from(text, "utf8"));
}

/** Encodes a count and the strings. */
export function strings(texts: readonly string[]): Buffer {
  return Buffer.concat([int32(texts.length), ...texts.map(string)]);
}

/** Encodes a count and the integers. */
export function int32s(values: readonly number[]): Buffer {
  return Buffer.concat([int32(values.length), ...values.map(int32)]);
}
