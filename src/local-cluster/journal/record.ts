import { crc32 } from "node:zlib";

/** Position of invalid data in a journal file. */
export interface Fault {
  /** Bytes from the file's beginning. */
  readonly offset: number;
  /** Whether no valid record follows, which means that a write was interrupted. */
  readonly isTorn: boolean;
}

interface Scan {
  /** JSON texts. */
  readonly records: readonly string[];
  /** The first position that is not a record. */
  readonly fault: Fault | undefined;
  /** JSON texts of the records behind the fault. */
  readonly beyond: readonly string[];
}

const newline = 0x0a;
const checksumLength = 8;

/** Prints a record: a line with the CRC-32 of its JSON text, as eight hex digits, and that text. */
export function printRecord(json: string): string {
  return `${checksumOf(json)} ${json}\n`;
}

/** Parses records up to the first invalid line, and separately those after it. */
export function scanRecords(bytes: Uint8Array): Scan {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: string[] = [];
  const beyond: string[] = [];
  let faultAt: number | undefined;
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf(newline, start);
    const json = end === -1 ? undefined : readLine(content.subarray(start, end));
    if (json === undefined) faultAt ??= start;
    else (faultAt === undefined ? records : beyond).push(json);
    start = end === -1 ? content.length : end + 1;
  }
  const fault = faultAt === undefined ? undefined : { offset: faultAt, isTorn: beyond.length === 0 };
  return { records, fault, beyond };
}

function readLine(line: Buffer): string | undefined {
  const json = line.subarray(checksumLength + 1);
  const checksum = line.subarray(0, checksumLength).toString("latin1");
  return line[checksumLength] === 0x20 && checksum === checksumOf(json) ? json.toString("utf8") : undefined;
}

function checksumOf(json: string | Buffer): string {
  return crc32(json).toString(16).padStart(checksumLength, "0");
}
