/** Header of a tar member, 512 bytes. Source: POSIX ustar, and GNU's binary form of large numbers. */
export interface TarHeader {
  /** Raw bytes, including the prefix. */
  readonly name: Uint8Array;
  /** One character; `0` replaces the NUL of old archives. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
}

export const blockBytes = 512;

/** Reason why an archive is rejected. */
export class TarError extends Error {
  /** Name of the affected member. */
  readonly entry: string | undefined;

  constructor(message: string, entry?: string) {
    super(message);
    this.name = "TarError";
    this.entry = entry;
  }
}

/** Parses a header block. @throws TarError if it is not a valid header */
export function parseTarHeader(block: Uint8Array): TarHeader {
  verifyChecksum(block);
  const isPosix = latin1Text(block, 257, 263) === "ustar\0";
  if (!isPosix && !/^(ustar {2}|\0{7,8})/.test(latin1Text(block, 257, 265)))
    throw new TarError("it has a header of an unknown format");
  const name = field(block, 0, 100);
  const prefix = isPosix ? field(block, 345, 500) : new Uint8Array();
  return {
    name: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from("/"), name]),
    type: latin1Text(block, 156, 157).replace("\0", "0"),
    size: parseNumber(block.subarray(124, 136), "size"),
    mode: parseNumber(block.subarray(100, 108), "mode") & 0o7777,
  };
}

/** Returns whether all bytes are zero, as in the two blocks that end an archive. */
export function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** Verifies the checksum: the sum of all bytes, where the checksum field counts as spaces. Some old writers add signed bytes. */
function verifyChecksum(block: Uint8Array): void {
  let sum = 0;
  let signed = 0;
  for (const [index, byte] of block.entries()) {
    const counted = index >= 148 && index < 156 ? 0x20 : byte;
    sum += counted;
    signed += counted < 128 ? counted : counted - 256;
  }
  const expected = parseNumber(block.subarray(148, 156), "checksum");
  if (expected !== sum && expected !== signed) throw new TarError("it has a header with a wrong checksum");
}

/** Parses octal digits, or GNU's big-endian binary form after a first byte of 0x80. @throws TarError */
function parseNumber(bytes: Uint8Array, what: string): number {
  const [first = 0, ...rest] = bytes;
  if (first === 0x80) {
    const value = rest.reduce((sum, byte) => sum * 256 + byte, 0);
    if (Number.isSafeInteger(value)) return value;
  } else {
    const digits = /^ *([0-7]*)[ \0]*$/.exec(Buffer.from(bytes).toString("latin1"))?.[1];
    if (digits !== undefined) return digits === "" ? 0 : Number.parseInt(digits, 8);
  }
  throw new TarError(`it has a header with a ${what} that is not a number`);
}

function field(block: Uint8Array, start: number, end: number): Uint8Array {
  const bytes = block.subarray(start, end);
  const zero = bytes.indexOf(0);
  return Uint8Array.from(zero < 0 ? bytes : bytes.subarray(0, zero));
}

function latin1Text(block: Uint8Array, start: number, end: number): string {
  return Buffer.from(block.subarray(start, end)).toString("latin1");
}
