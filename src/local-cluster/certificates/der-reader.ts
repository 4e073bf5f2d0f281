/** A value in DER (X.690). */
export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** The value with its tag and length. */
  readonly encoded: Uint8Array;
}

/** Bytes that are not DER, or not the expected type. */
export class DerError extends Error {}

/** Reads the values that bytes consist of. @throws DerError */
export function readDer(bytes: Uint8Array): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const { start, end } = contentAt(bytes, offset);
    values.push({
      tag: bytes[offset] ?? 0,
      content: bytes.subarray(start, end),
      encoded: bytes.subarray(offset, end),
    });
    offset = end;
  }
  return values;
}

/** Reads the values in a value of a type. @throws DerError */
export function readInside(value: DerValue | undefined, tag: number): readonly DerValue[] {
  return readDer(contentOf(value, tag));
}

/** Returns the content of a value of a type. @throws DerError */
export function contentOf(value: DerValue | undefined, tag: number): Uint8Array {
  if (value?.tag === tag) return value.content;
  throw new DerError("asn1: structure error: tags don't match");
}

const maxLengthBytes = 4;

/** Returns the offsets of the content of the value at an offset. */
function contentAt(bytes: Uint8Array, offset: number): { readonly start: number; readonly end: number } {
  const first = bytes[offset + 1] ?? 0x80;
  const count = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || count > maxLengthBytes) throw truncated();
  const start = offset + 2 + count;
  const length = count === 0 ? first : bytes.subarray(offset + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  const end = start + length;
  if (end > bytes.length) throw truncated();
  return { start, end };
}

function truncated(): DerError {
  return new DerError("asn1: syntax error: data truncated");
}

/** Decodes an object identifier, e.g. `2.5.4.3`. */
export function readIdentifier(content: Uint8Array): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
  }
  const [first = 0, ...rest] = numbers;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - 40 * root, ...rest].join(".");
}
