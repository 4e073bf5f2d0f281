/** Tags of the DER types (X.690) that certificates use. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Encodes a value with its tag and length. */
export function tagged(tag: number, content: Uint8Array): Uint8Array {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return tagged(tags.sequence, Buffer.concat(parts));
}

export function setOf(part: Uint8Array): Uint8Array {
  return tagged(tags.set, part);
}

/** Encodes a positive integer from its bytes. */
export function integer(bytes: Uint8Array): Uint8Array {
  const isNegative = (bytes[0] ?? 0) >= 0x80;
  return tagged(tags.integer, isNegative ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function boolean(value: boolean): Uint8Array {
  return tagged(tags.boolean, Buffer.from([value ? 0xff : 0]));
}

/** Encodes a bit string; `unused` bits of the last byte are ignored. */
export function bitString(bytes: Uint8Array, unused = 0): Uint8Array {
  return tagged(tags.bitString, Buffer.concat([Buffer.from([unused]), bytes]));
}

export function octetString(bytes: Uint8Array): Uint8Array {
  return tagged(tags.octetString, bytes);
}

export function text(value: string): Uint8Array {
  return tagged(tags.utf8String, Buffer.from(value));
}

/** Encodes an object identifier such as `2.5.29.17`. */
export function identifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(tags.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const bytes = [number & 0x7f];
  for (let rest = number >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** Encodes a time before 2050 in seconds; `ms` since 1970. */
export function utcTime(ms: number): Uint8Array {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return tagged(tags.utcTime, Buffer.from(`${digits}Z`));
}
